package sofab_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sofab-go/sofab"
)

// Structs of the shapes that well-known JSON APIs have, with ids beside their json tags:
// a cluster's objects, a payment service, the webhooks of a code host. What differs from
// a struct that only knows encoding/json is noted at the field.

// ---- objects of a cluster ----

type (
	k8sTypeMeta struct {
		Kind       string `json:"kind,omitempty" sofab:"1"`
		APIVersion string `json:"apiVersion,omitempty" sofab:"2"`
	}

	// k8sTime is a time with seconds, and null where it is zero. Its methods are those
	// of the embedded time but for the ones that json calls.
	k8sTime struct{ time.Time }

	// k8sIntOrString is a union that json tells by the type of its value.
	k8sIntOrString struct {
		Type   int64  `sofab:"1"`
		IntVal int32  `sofab:"2"`
		StrVal string `sofab:"3"`
	}

	// k8sQuantity is a number with a unit that marshals itself as text.
	k8sQuantity struct {
		milli int64
	}

	// k8sRawExtension holds an object whose type is told beside it. It has been a
	// json.RawMessage.
	k8sRawExtension struct {
		k8sTypeMeta `sofab:"1"`
		Raw         sofab.RawMessage `sofab:"2"`
	}

	k8sAdmissionReview struct {
		UID       k8sUID           `sofab:"1"`
		Object    k8sRawExtension  `sofab:"2"`
		OldObject *k8sRawExtension `sofab:"3"`
	}

	k8sOwnerReference struct {
		APIVersion         string `json:"apiVersion" sofab:"1"`
		Kind               string `json:"kind" sofab:"2"`
		Name               string `json:"name" sofab:"3"`
		UID                k8sUID `json:"uid" sofab:"4"`
		Controller         *bool  `json:"controller,omitempty" sofab:"5"`
		BlockOwnerDeletion *bool  `json:"blockOwnerDeletion,omitempty" sofab:"6"`
	}
	k8sUID string

	k8sFieldsV1 struct {
		Raw []byte `json:"-" sofab:"1"`
	}

	k8sManagedFields struct {
		Manager  string       `json:"manager,omitempty" sofab:"1"`
		Time     *k8sTime     `json:"time,omitempty" sofab:"2"`
		FieldsV1 *k8sFieldsV1 `json:"fieldsV1,omitempty" sofab:"3"`
	}

	k8sObjectMeta struct {
		Name                       string              `json:"name,omitempty" sofab:"1,maxlen=253"`
		GenerateName               string              `json:"generateName,omitempty" sofab:"2"`
		Namespace                  string              `json:"namespace,omitempty" sofab:"3,maxlen=63"`
		UID                        k8sUID              `json:"uid,omitempty" sofab:"4"`
		ResourceVersion            string              `json:"resourceVersion,omitempty" sofab:"5"`
		Generation                 int64               `json:"generation,omitempty" sofab:"6"`
		CreationTimestamp          k8sTime             `json:"creationTimestamp,omitempty" sofab:"7"`
		DeletionTimestamp          *k8sTime            `json:"deletionTimestamp,omitempty" sofab:"8"`
		DeletionGracePeriodSeconds *int64              `json:"deletionGracePeriodSeconds,omitempty" sofab:"9"`
		Labels                     map[string]string   `json:"labels,omitempty" sofab:"10,key.maxlen=317,val.maxlen=63"`
		Annotations                map[string]string   `json:"annotations,omitempty" sofab:"11"`
		OwnerReferences            []k8sOwnerReference `json:"ownerReferences,omitempty" sofab:"12"`
		Finalizers                 []string            `json:"finalizers,omitempty" sofab:"13"`
		ManagedFields              []k8sManagedFields  `json:"managedFields,omitempty" sofab:"14"`
	}

	k8sPod struct {
		k8sTypeMeta   `json:",inline"`
		k8sObjectMeta `json:"metadata,omitempty" sofab:"3"`
		Spec          k8sPodSpec   `json:"spec,omitempty" sofab:"4"`
		Status        k8sPodStatus `json:"status,omitempty" sofab:"5"`
	}

	k8sPodSpec struct {
		Volumes                       []k8sVolume       `json:"volumes,omitempty" sofab:"1"`
		InitContainers                []k8sContainer    `json:"initContainers,omitempty" sofab:"2"`
		Containers                    []k8sContainer    `json:"containers" sofab:"3"`
		RestartPolicy                 k8sRestartPolicy  `json:"restartPolicy,omitempty" sofab:"4,default=Always"`
		TerminationGracePeriodSeconds *int64            `json:"terminationGracePeriodSeconds,omitempty" sofab:"5"`
		NodeSelector                  map[string]string `json:"nodeSelector,omitempty" sofab:"6"`
		HostNetwork                   bool              `json:"hostNetwork,omitempty" sofab:"7"`
		SecurityContext               *k8sSecurity      `json:"securityContext,omitempty" sofab:"8"`
		Affinity                      *k8sAffinity      `json:"affinity,omitempty" sofab:"9"`
		Overhead                      k8sResources      `json:"overhead,omitempty" sofab:"10"`
	}
	k8sRestartPolicy string
	k8sResources     map[string]k8sQuantity

	k8sSecurity struct {
		RunAsUser    *int64 `json:"runAsUser,omitempty" sofab:"1"`
		RunAsNonRoot *bool  `json:"runAsNonRoot,omitempty" sofab:"2"`
	}

	k8sAffinity struct {
		NodeAffinity *k8sSelector `json:"nodeAffinity,omitempty" sofab:"1"`
	}
	k8sSelector struct {
		MatchLabels map[string]string        `json:"matchLabels,omitempty" sofab:"1"`
		Expressions []k8sSelectorRequirement `json:"matchExpressions,omitempty" sofab:"2"`
	}
	k8sSelectorRequirement struct {
		Key      string   `json:"key" sofab:"1"`
		Operator string   `json:"operator" sofab:"2"`
		Values   []string `json:"values,omitempty" sofab:"3"`
	}

	// k8sVolume embeds the union of its sources, as the API does.
	k8sVolume struct {
		Name            string `json:"name" sofab:"1"`
		k8sVolumeSource `json:",inline"`
	}
	k8sVolumeSource struct {
		HostPath  *k8sHostPath  `json:"hostPath,omitempty" sofab:"2"`
		EmptyDir  *k8sEmptyDir  `json:"emptyDir,omitempty" sofab:"3"`
		ConfigMap *k8sConfigMap `json:"configMap,omitempty" sofab:"4"`
	}
	k8sHostPath struct {
		Path string  `json:"path" sofab:"1"`
		Type *string `json:"type,omitempty" sofab:"2"`
	}
	k8sEmptyDir struct {
		Medium    string       `json:"medium,omitempty" sofab:"1"`
		SizeLimit *k8sQuantity `json:"sizeLimit,omitempty" sofab:"2"`
	}
	k8sConfigMap struct {
		Name        string `json:"name" sofab:"1"`
		DefaultMode *int32 `json:"defaultMode,omitempty" sofab:"2"`
		Optional    *bool  `json:"optional,omitempty" sofab:"3"`
	}

	k8sContainer struct {
		Name           string          `json:"name" sofab:"1"`
		Image          string          `json:"image,omitempty" sofab:"2"`
		Command        []string        `json:"command,omitempty" sofab:"3"`
		Args           []string        `json:"args,omitempty" sofab:"4"`
		Ports          []k8sPort       `json:"ports,omitempty" sofab:"5"`
		Env            []k8sEnv        `json:"env,omitempty" sofab:"6"`
		Resources      k8sRequirements `json:"resources,omitempty" sofab:"7"`
		LivenessProbe  *k8sProbe       `json:"livenessProbe,omitempty" sofab:"8"`
		ReadinessProbe *k8sProbe       `json:"readinessProbe,omitempty" sofab:"9"`
		TTY            bool            `json:"tty,omitempty" sofab:"10"`
	}
	k8sPort struct {
		Name          string `json:"name,omitempty" sofab:"1"`
		ContainerPort int32  `json:"containerPort" sofab:"2"`
		Protocol      string `json:"protocol,omitempty" sofab:"3,default=TCP"`
	}
	k8sEnv struct {
		Name      string        `json:"name" sofab:"1"`
		Value     string        `json:"value,omitempty" sofab:"2"`
		ValueFrom *k8sEnvSource `json:"valueFrom,omitempty" sofab:"3"`
	}
	k8sEnvSource struct {
		FieldPath string `json:"fieldPath,omitempty" sofab:"1"`
	}
	k8sRequirements struct {
		Limits   k8sResources `json:"limits,omitempty" sofab:"1"`
		Requests k8sResources `json:"requests,omitempty" sofab:"2"`
	}
	k8sProbe struct {
		HTTPGet             *k8sHTTPGet `json:"httpGet,omitempty" sofab:"1"`
		InitialDelaySeconds int32       `json:"initialDelaySeconds,omitempty" sofab:"2"`
		PeriodSeconds       int32       `json:"periodSeconds,omitempty" sofab:"3,default=10"`
	}
	k8sHTTPGet struct {
		Path string         `json:"path,omitempty" sofab:"1"`
		Port k8sIntOrString `json:"port" sofab:"2"`
	}

	k8sPodStatus struct {
		Phase      string         `json:"phase,omitempty" sofab:"1"`
		Conditions []k8sCondition `json:"conditions,omitempty" sofab:"2"`
		PodIPs     []k8sPodIP     `json:"podIPs,omitempty" sofab:"3"`
		StartTime  *k8sTime       `json:"startTime,omitempty" sofab:"4"`
	}
	k8sCondition struct {
		Type               string  `json:"type" sofab:"1"`
		Status             string  `json:"status" sofab:"2"`
		LastTransitionTime k8sTime `json:"lastTransitionTime,omitempty" sofab:"3,string"`
		Message            string  `json:"message,omitempty" sofab:"4"`
	}
	k8sPodIP struct {
		IP string `json:"ip,omitempty" sofab:"1"`
	}

	k8sDeployment struct {
		k8sTypeMeta   `json:",inline"`
		k8sObjectMeta `json:"metadata,omitempty" sofab:"3"`
		Spec          k8sDeploymentSpec `json:"spec,omitempty" sofab:"4"`
	}
	k8sDeploymentSpec struct {
		Replicas *int32         `json:"replicas,omitempty" sofab:"1"`
		Selector *k8sSelector   `json:"selector" sofab:"2"`
		Template k8sPodTemplate `json:"template" sofab:"3"`
		Strategy k8sStrategy    `json:"strategy,omitempty" sofab:"4"`
		Paused   bool           `json:"paused,omitempty" sofab:"5"`
	}
	k8sPodTemplate struct {
		k8sObjectMeta `json:"metadata,omitempty" sofab:"1"`
		Spec          k8sPodSpec `json:"spec,omitempty" sofab:"2"`
	}
	k8sStrategy struct {
		Type          string            `json:"type,omitempty" sofab:"1"`
		RollingUpdate *k8sRollingUpdate `json:"rollingUpdate,omitempty" sofab:"2"`
	}
	k8sRollingUpdate struct {
		MaxUnavailable *k8sIntOrString `json:"maxUnavailable,omitempty" sofab:"1"`
		MaxSurge       *k8sIntOrString `json:"maxSurge,omitempty" sofab:"2"`
	}

	k8sPodList struct {
		k8sTypeMeta `json:",inline"`
		Items       []k8sPod `json:"items" sofab:"3"`
	}
)

func (t k8sTime) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + t.UTC().Format(time.RFC3339) + `"`), nil
}

func (t *k8sTime) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		t.Time = time.Time{}
		return nil
	}
	v, err := time.Parse(`"`+time.RFC3339+`"`, string(b))
	t.Time = v.UTC()
	return err
}

func (v k8sIntOrString) MarshalJSON() ([]byte, error) {
	if v.Type == 1 {
		return json.Marshal(v.StrVal)
	}
	return json.Marshal(v.IntVal)
}

func (v *k8sIntOrString) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		v.Type = 1
		return json.Unmarshal(b, &v.StrVal)
	}
	return json.Unmarshal(b, &v.IntVal)
}

func (q k8sQuantity) MarshalText() ([]byte, error) {
	if q.milli%1000 == 0 {
		return strconv.AppendInt(nil, q.milli/1000, 10), nil
	}
	return append(strconv.AppendInt(nil, q.milli, 10), 'm'), nil
}

func (q *k8sQuantity) UnmarshalText(text []byte) error {
	number, isMilli := strings.CutSuffix(string(text), "m")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return fmt.Errorf("no quantity: %w", err)
	}
	if !isMilli {
		n *= 1000
	}
	q.milli = n
	return nil
}

func (q k8sQuantity) Equal(other k8sQuantity) bool { return q == other }

func (f k8sFieldsV1) MarshalJSON() ([]byte, error) { return f.Raw, nil }

func (f *k8sFieldsV1) UnmarshalJSON(b []byte) error {
	f.Raw = append([]byte(nil), b...)
	return nil
}

// ---- a payment service ----

type (
	// payExpandable is an id, or the object itself where the caller asked for it.
	payExpandable[T any] struct {
		ID     *string `sofab:"1"`
		Object *T      `sofab:"2"`
	}

	payIntent struct {
		ID                 string                      `json:"id" sofab:"1"`
		Amount             int64                       `json:"amount" sofab:"2"`
		AmountCapturable   int64                       `json:"amount_capturable" sofab:"3"`
		AmountReceived     int64                       `json:"amount_received" sofab:"4"`
		Currency           payCurrency                 `json:"currency" sofab:"5,maxlen=3"`
		Created            int64                       `json:"created" sofab:"6"`
		Livemode           bool                        `json:"livemode" sofab:"7"`
		Status             payStatus                   `json:"status" sofab:"8"`
		CancellationReason *string                     `json:"cancellation_reason" sofab:"9"`
		CanceledAt         *int64                      `json:"canceled_at" sofab:"10"`
		CaptureMethod      string                      `json:"capture_method" sofab:"11,default=automatic"`
		Customer           *payExpandable[payCustomer] `json:"customer" sofab:"12,union"`
		Description        *string                     `json:"description" sofab:"13"`
		LastPaymentError   *payError                   `json:"last_payment_error" sofab:"14"`
		Metadata           map[string]string           `json:"metadata" sofab:"15,count=50,key.maxlen=40,val.maxlen=500,presence"`
		NextAction         *payNextAction              `json:"next_action" sofab:"16"`
		PaymentMethodTypes []string                    `json:"payment_method_types" sofab:"17"`
		Shipping           *payShipping                `json:"shipping" sofab:"18"`
		Charges            []payCharge                 `json:"charges" sofab:"19"`
		Options            map[string]any              `json:"payment_method_options" sofab:"20"`
		TransferAmounts    map[payCurrency]int64       `json:"transfer_amounts,omitempty" sofab:"21"`
	}
	payCurrency string
	payStatus   string

	payCustomer struct {
		ID      string     `json:"id" sofab:"1"`
		Email   *string    `json:"email" sofab:"2"`
		Balance int64      `json:"balance" sofab:"3"`
		Address payAddress `json:"address" sofab:"4"`
	}
	payAddress struct {
		City       *string `json:"city" sofab:"1"`
		Country    *string `json:"country" sofab:"2"`
		Line1      *string `json:"line1" sofab:"3"`
		Line2      *string `json:"line2" sofab:"4"`
		PostalCode *string `json:"postal_code" sofab:"5"`
	}
	payShipping struct {
		Address payAddress `json:"address" sofab:"1"`
		Name    string     `json:"name" sofab:"2"`
		Phone   *string    `json:"phone" sofab:"3"`
	}
	payError struct {
		Type        string  `json:"type" sofab:"1"`
		Code        string  `json:"code,omitempty" sofab:"2"`
		DeclineCode *string `json:"decline_code,omitempty" sofab:"3"`
		Message     string  `json:"message,omitempty" sofab:"4"`
	}
	payNextAction struct {
		Type     string       `json:"type" sofab:"1"`
		Redirect *payRedirect `json:"redirect_to_url,omitempty" sofab:"2"`
	}
	payRedirect struct {
		URL       string `json:"url" sofab:"1"`
		ReturnURL string `json:"return_url" sofab:"2"`
	}
	payCharge struct {
		ID           string            `json:"id" sofab:"1"`
		Amount       int64             `json:"amount" sofab:"2"`
		ExchangeRate *float64          `json:"exchange_rate" sofab:"3"`
		Paid         bool              `json:"paid" sofab:"4"`
		Refunded     bool              `json:"refunded" sofab:"5"`
		Metadata     map[string]string `json:"metadata" sofab:"6"`
		Card         *payCard          `json:"card" sofab:"7"`
	}
	payCard struct {
		Brand    string    `json:"brand" sofab:"1"`
		Last4    string    `json:"last4" sofab:"2,maxlen=4"`
		ExpMonth uint8     `json:"exp_month" sofab:"3"`
		ExpYear  uint16    `json:"exp_year" sofab:"4"`
		Checks   *[]string `json:"checks" sofab:"5"`
	}
)

func (x payExpandable[T]) MarshalJSON() ([]byte, error) {
	if x.Object != nil {
		return json.Marshal(x.Object)
	}
	return json.Marshal(x.ID)
}

func (x *payExpandable[T]) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		x.ID = new(string)
		return json.Unmarshal(b, x.ID)
	case '{':
		x.Object = new(T)
		return json.Unmarshal(b, x.Object)
	}
	return errors.New("neither an id nor an object")
}

// ---- webhooks of a code host ----

type (
	hookUser struct {
		Login     string  `json:"login" sofab:"1"`
		ID        int64   `json:"id" sofab:"2"`
		NodeID    string  `json:"node_id" sofab:"3"`
		AvatarURL string  `json:"avatar_url" sofab:"4"`
		Type      string  `json:"type" sofab:"5"`
		SiteAdmin bool    `json:"site_admin" sofab:"6"`
		Name      *string `json:"name,omitempty" sofab:"7"`
		Email     *string `json:"email,omitempty" sofab:"8"`
	}

	hookRepository struct {
		ID            int64        `json:"id" sofab:"1"`
		Name          string       `json:"name" sofab:"2"`
		FullName      string       `json:"full_name" sofab:"3"`
		Private       bool         `json:"private" sofab:"4"`
		Owner         *hookUser    `json:"owner" sofab:"5"`
		Description   *string      `json:"description" sofab:"6"`
		Fork          bool         `json:"fork" sofab:"7"`
		CreatedAt     time.Time    `json:"created_at" sofab:"8"`
		UpdatedAt     time.Time    `json:"updated_at" sofab:"9,time=unixmilli"`
		PushedAt      *time.Time   `json:"pushed_at" sofab:"10,time=rfc3339"`
		Language      *string      `json:"language" sofab:"11"`
		Topics        []string     `json:"topics" sofab:"12"`
		DefaultBranch string       `json:"default_branch" sofab:"13,default=main"`
		License       *hookLicense `json:"license" sofab:"14"`
	}
	hookLicense struct {
		Key    string  `json:"key" sofab:"1"`
		SPDXID string  `json:"spdx_id" sofab:"2"`
		URL    *string `json:"url" sofab:"3"`
	}

	hookCommit struct {
		ID        string       `json:"id" sofab:"1"`
		TreeID    string       `json:"tree_id" sofab:"2"`
		Distinct  bool         `json:"distinct" sofab:"3"`
		Message   string       `json:"message" sofab:"4"`
		Timestamp time.Time    `json:"timestamp" sofab:"5"`
		Author    hookIdentity `json:"author" sofab:"6"`
		Committer hookIdentity `json:"committer" sofab:"7"`
		Added     []string     `json:"added" sofab:"8,presence"`
		Removed   []string     `json:"removed" sofab:"9,presence"`
		Modified  []string     `json:"modified" sofab:"10,presence"`
	}
	hookIdentity struct {
		Name     string  `json:"name" sofab:"1"`
		Email    *string `json:"email" sofab:"2"`
		Username string  `json:"username,omitempty" sofab:"3"`
	}

	hookPush struct {
		Ref        string         `json:"ref" sofab:"1"`
		Before     string         `json:"before" sofab:"2"`
		After      string         `json:"after" sofab:"3"`
		Created    bool           `json:"created" sofab:"4"`
		Deleted    bool           `json:"deleted" sofab:"5"`
		Forced     bool           `json:"forced" sofab:"6"`
		BaseRef    *string        `json:"base_ref" sofab:"7"`
		Compare    string         `json:"compare" sofab:"8"`
		Commits    []hookCommit   `json:"commits" sofab:"9"`
		HeadCommit *hookCommit    `json:"head_commit" sofab:"10"`
		Repository hookRepository `json:"repository" sofab:"11"`
		Pusher     hookIdentity   `json:"pusher" sofab:"12"`
		Sender     *hookUser      `json:"sender" sofab:"13"`
	}

	hookPullRequestEvent struct {
		Action      string          `json:"action" sofab:"1"`
		Number      int             `json:"number" sofab:"2"`
		PullRequest hookPullRequest `json:"pull_request" sofab:"3"`
		Changes     *hookChanges    `json:"changes,omitempty" sofab:"4"`
		Repository  hookRepository  `json:"repository" sofab:"5"`
		Sender      hookUser        `json:"sender" sofab:"6"`
	}
	hookPullRequest struct {
		ID             int64                     `json:"id" sofab:"1"`
		State          string                    `json:"state" sofab:"2,default=open"`
		Locked         bool                      `json:"locked" sofab:"3"`
		Title          string                    `json:"title" sofab:"4"`
		User           *hookUser                 `json:"user" sofab:"5"`
		Body           *string                   `json:"body" sofab:"6"`
		CreatedAt      time.Time                 `json:"created_at" sofab:"7"`
		MergedAt       *time.Time                `json:"merged_at" sofab:"8"`
		MergeCommitSHA *string                   `json:"merge_commit_sha" sofab:"9"`
		Assignees      []*hookUser               `json:"assignees" sofab:"10"`
		Labels         []hookLabel               `json:"labels" sofab:"11"`
		Draft          bool                      `json:"draft" sofab:"12"`
		Head           hookBranch                `json:"head" sofab:"13"`
		Base           hookBranch                `json:"base" sofab:"14"`
		Links          map[string]map[string]any `json:"_links" sofab:"15"`
		Mergeable      *bool                     `json:"mergeable" sofab:"16"`
		Additions      int                       `json:"additions" sofab:"17"`
		Deletions      int                       `json:"deletions" sofab:"18"`
	}
	hookLabel struct {
		ID          int64   `json:"id" sofab:"1"`
		Name        string  `json:"name" sofab:"2"`
		Color       string  `json:"color" sofab:"3"`
		Default     bool    `json:"default" sofab:"4"`
		Description *string `json:"description" sofab:"5"`
	}
	hookBranch struct {
		Label string          `json:"label" sofab:"1"`
		Ref   string          `json:"ref" sofab:"2"`
		SHA   string          `json:"sha" sofab:"3"`
		User  *hookUser       `json:"user" sofab:"4"`
		Repo  *hookRepository `json:"repo" sofab:"5"`
	}
	hookChanges struct {
		Title *hookFrom `json:"title,omitempty" sofab:"1"`
		Body  *hookFrom `json:"body,omitempty" sofab:"2"`
	}
	hookFrom struct {
		From string `json:"from" sofab:"1"`
	}
)
