package sofab_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/sofab-go/sofab"
)

// A migrated value is one of a struct that was written for encoding/json and got ids.
type migrated struct {
	name    string
	value   any // pointer to a struct
	percent int // the most that its message has of the size of its JSON
}

func seconds(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

func utc(s string) time.Time { return seconds(s).UTC() }

func migratedPod(name string) k8sPod {
	return k8sPod{
		k8sTypeMeta: k8sTypeMeta{Kind: "Pod", APIVersion: "v1"},
		k8sObjectMeta: k8sObjectMeta{
			Name: name, GenerateName: "web-7d4b9c6f5-", Namespace: "shop", UID: "0f0a6b1e-54b3-4bb6-8a3e-3c1a7a1a6c11",
			ResourceVersion: "184467", Generation: 1, CreationTimestamp: k8sTime{utc("2024-02-29T12:30:00Z")},
			DeletionTimestamp: &k8sTime{utc("2024-03-01T00:00:00Z")}, DeletionGracePeriodSeconds: ptr(int64(0)),
			Labels:      map[string]string{"app.kubernetes.io/name": "web", "pod-template-hash": "7d4b9c6f5", "tier": ""},
			Annotations: map[string]string{"example.com/owner": "payments", "example.com/note": "zwölf 🚀"},
			OwnerReferences: []k8sOwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-7d4b9c6f5", UID: "7b5d", Controller: ptr(true), BlockOwnerDeletion: ptr(false),
			}},
			Finalizers:    []string{"example.com/drain", "", "foregroundDeletion"},
			ManagedFields: []k8sManagedFields{{Manager: "kubectl", Time: &k8sTime{utc("2024-02-29T12:30:01Z")}, FieldsV1: &k8sFieldsV1{Raw: []byte(`{"f:spec":{}}`)}}},
		},
		Spec: k8sPodSpec{
			Volumes: []k8sVolume{
				{Name: "cache", k8sVolumeSource: k8sVolumeSource{EmptyDir: &k8sEmptyDir{SizeLimit: &k8sQuantity{1500}}}},
				{Name: "config", k8sVolumeSource: k8sVolumeSource{ConfigMap: &k8sConfigMap{Name: "web", DefaultMode: ptr(int32(0o644)), Optional: ptr(false)}}},
				{Name: "scratch", k8sVolumeSource: k8sVolumeSource{EmptyDir: &k8sEmptyDir{}}},
			},
			Containers: []k8sContainer{{
				Name: "web", Image: "registry.example.com/web:1.4.2", Command: []string{"/web"}, Args: []string{"--port", "8080", ""},
				Ports:     []k8sPort{{Name: "http", ContainerPort: 8080, Protocol: "TCP"}, {ContainerPort: 53, Protocol: "UDP"}},
				Env:       []k8sEnv{{Name: "POD", ValueFrom: &k8sEnvSource{FieldPath: "metadata.name"}}, {Name: "EMPTY"}},
				Resources: k8sRequirements{Limits: k8sResources{"cpu": {2000}, "memory": {268435456000}}, Requests: k8sResources{"cpu": {250}, "memory": {0}}},
				LivenessProbe: &k8sProbe{
					HTTPGet: &k8sHTTPGet{Path: "/healthz", Port: k8sIntOrString{Type: 1, StrVal: "http"}}, InitialDelaySeconds: 3, PeriodSeconds: 10,
				},
				ReadinessProbe: &k8sProbe{HTTPGet: &k8sHTTPGet{Path: "/ready", Port: k8sIntOrString{IntVal: 8080}}, PeriodSeconds: 5},
			}},
			RestartPolicy: "Always", TerminationGracePeriodSeconds: ptr(int64(30)), NodeSelector: map[string]string{"kubernetes.io/os": "linux"},
			SecurityContext: &k8sSecurity{RunAsUser: ptr(int64(0)), RunAsNonRoot: ptr(false)},
			Affinity:        &k8sAffinity{NodeAffinity: &k8sSelector{Expressions: []k8sSelectorRequirement{{Key: "zone", Operator: "In", Values: []string{"a", "b"}}}}},
		},
		Status: k8sPodStatus{
			Phase:      "Running",
			Conditions: []k8sCondition{{Type: "Ready", Status: "True", LastTransitionTime: k8sTime{utc("2024-02-29T12:30:09Z")}}, {Type: "Initialized", Status: "True"}},
			PodIPs:     []k8sPodIP{{"10.0.0.17"}, {"fd00::11"}}, StartTime: &k8sTime{utc("2024-02-29T12:30:02Z")},
		},
	}
}

func migratedDeployment() *k8sDeployment {
	pod := migratedPod("")
	return &k8sDeployment{
		k8sTypeMeta:   k8sTypeMeta{Kind: "Deployment", APIVersion: "apps/v1"},
		k8sObjectMeta: k8sObjectMeta{Name: "web", Namespace: "shop", Labels: map[string]string{"app": "web"}},
		Spec: k8sDeploymentSpec{
			Replicas: ptr(int32(0)), Selector: &k8sSelector{MatchLabels: map[string]string{"app": "web"}},
			Template: k8sPodTemplate{k8sObjectMeta: k8sObjectMeta{Labels: map[string]string{"app": "web"}}, Spec: pod.Spec},
			Strategy: k8sStrategy{Type: "RollingUpdate", RollingUpdate: &k8sRollingUpdate{
				MaxUnavailable: &k8sIntOrString{Type: 1, StrVal: "25%"}, MaxSurge: &k8sIntOrString{},
			}},
		},
	}
}

func migratedPayment() *payIntent {
	return &payIntent{
		ID: "pi_3MtwBwLkdIwHu7ix28a3tqPa", Amount: 2000, AmountReceived: 2000, Currency: "eur", Created: 1680800504, Livemode: true,
		Status: "requires_payment_method", CanceledAt: ptr(int64(0)), CaptureMethod: "automatic",
		Customer: &payExpandable[payCustomer]{Object: &payCustomer{
			ID: "cus_9s6XKzkNRiz8i3", Email: ptr("jenny@example.com"), Balance: -500,
			Address: payAddress{City: ptr("Zürich"), Country: ptr("CH"), Line2: ptr("")},
		}},
		Description: ptr(""), Metadata: map[string]string{},
		LastPaymentError: &payError{Type: "card_error", Code: "card_declined", DeclineCode: ptr("insufficient_funds"), Message: "Your card has insufficient funds."},
		NextAction:       &payNextAction{Type: "redirect_to_url", Redirect: &payRedirect{URL: "https://hooks.example.com/3d?x=1&y=<2>", ReturnURL: "https://shop.example.com/ok"}},
		PaymentMethodTypes: []string{
			"card", "link",
		},
		Shipping: &payShipping{Address: payAddress{Line1: ptr("Bahnhofstrasse 1"), PostalCode: ptr("8001")}, Name: "Jenny Rosen"},
		Charges: []payCharge{
			{ID: "ch_1", Amount: 2000, ExchangeRate: ptr(1.0793), Paid: true, Metadata: map[string]string{"order": "6735"}, Card: &payCard{
				Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2034, Checks: &[]string{"pass", ""},
			}},
			{ID: "ch_2", Refunded: true, ExchangeRate: ptr(0.0)},
		},
		Options: map[string]any{
			"card": map[string]any{"request_three_d_secure": "automatic", "installments": nil, "networks": []any{"visa", 1.5, true}},
			"link": map[string]any{"ratio": 0.25},
		},
		TransferAmounts: map[payCurrency]int64{"eur": 1800, "chf": 0},
	}
}

var (
	migratedUser = hookUser{
		Login: "octocat", ID: 583231, NodeID: "MDQ6VXNlcjU4MzIzMQ==", AvatarURL: "https://avatars.example.com/u/583231?v=4",
		Type: "User", Name: ptr("The Octocat"), Email: ptr(""),
	}
	migratedRepository = hookRepository{
		ID: 1296269, Name: "Hello-World", FullName: "octocat/Hello-World", Owner: &migratedUser, Description: ptr("My first repository"), Fork: true,
		CreatedAt: utc("2011-01-26T19:01:12Z"), UpdatedAt: utc("2024-05-14T08:13:02.123Z"), PushedAt: ptr(utc("2024-05-14T08:12:59.5Z")),
		Topics: []string{"atom", "electron", "api"}, DefaultBranch: "main", License: &hookLicense{Key: "mit", SPDXID: "MIT"},
	}
)

func migratedPush() *hookPush {
	commit := hookCommit{
		ID: "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d", TreeID: "b4eecafa9be2f2006ce1b709d6857b07069b4608", Distinct: true,
		Message: "Say \"hello\" to <world> & all\n\nZoë 🎉", Timestamp: seconds("2024-05-14T10:12:58+02:00"),
		Author: hookIdentity{Name: "The Octocat", Email: ptr("octocat@example.com"), Username: "octocat"}, Committer: hookIdentity{Name: "Web"},
		Added: []string{"README.md"}, Removed: []string{}, Modified: []string{"a.go", "b/c.go"},
	}
	second := commit
	second.ID, second.Timestamp = "1c002dd4b536e7479fe34593e72e6c6c1819e53b", utc("2024-05-14T08:12:59Z")
	return &hookPush{
		Ref: "refs/heads/main", Before: "0000000000000000000000000000000000000000", After: commit.ID, Created: true,
		BaseRef: ptr("refs/heads/dev"), Compare: "https://github.example.com/octocat/Hello-World/compare/a...b", Commits: []hookCommit{commit, second},
		HeadCommit: &commit, Repository: migratedRepository, Pusher: commit.Author, Sender: &migratedUser,
	}
}

func migratedPullRequest() *hookPullRequestEvent {
	return &hookPullRequestEvent{
		Action: "edited", Number: 1347,
		PullRequest: hookPullRequest{
			ID: 1, State: "closed", Title: "Amazing new feature", User: &migratedUser, CreatedAt: utc("2011-01-26T19:01:12Z"),
			MergedAt: ptr(utc("2011-01-27T19:01:12Z")), MergeCommitSHA: ptr("e5bd3914e2e596debea16f433f57875b5b90bcd6"),
			Assignees: []*hookUser{&migratedUser, {}, {Login: "hubot"}}, Labels: []hookLabel{{ID: 208045946, Name: "bug", Color: "f29513", Default: true}},
			Head: hookBranch{Label: "octocat:new-topic", Ref: "new-topic", SHA: "6dcb09b5b57875f334f61aebed695e2e4193db5e", User: &migratedUser, Repo: &migratedRepository},
			Base: hookBranch{Label: "octocat:main", Ref: "main", SHA: "6dcb09b5b57875f334f61aebed695e2e4193db5e"},
			Links: map[string]map[string]any{
				"self": {"href": "https://api.example.com/pulls/1347"}, "html": {"href": "https://example.com/pull/1347", "ok": true},
			},
			Mergeable: ptr(false), Additions: 104, Deletions: 4,
		},
		Changes: &hookChanges{Title: &hookFrom{From: "Amazing feature"}, Body: &hookFrom{}}, Repository: migratedRepository, Sender: migratedUser,
	}
}

// sameInstants compares times by instant and zone offset: a location has no name on the
// wire, and none in JSON.
var sameInstants = cmp.Comparer(func(a, b time.Time) bool {
	_, x := a.Zone()
	_, y := b.Zone()
	return a.Equal(b) && x == y
})

// TestMigration takes values of migrated structs through encoding/json and through this
// package, on every surface: what comes back is the same, but for nil and empty slices
// and maps, which are one value here.
func TestMigration(t *testing.T) {
	pod := migratedPod("web-7d4b9c6f5-x2l9q")
	list := &k8sPodList{k8sTypeMeta: k8sTypeMeta{Kind: "PodList", APIVersion: "v1"}}
	for _, name := range []string{"a", "b", "", "d"} {
		list.Items = append(list.Items, migratedPod(name))
	}
	list.Items = append(list.Items, k8sPod{})
	for _, tt := range []migrated{
		{"pod", &pod, 45},
		{"empty pod", &k8sPod{}, 10},
		{"pod list", list, 45},
		{"deployment", migratedDeployment(), 40},
		{"payment", migratedPayment(), 45},
		{"payment of a customer by id", &payIntent{Customer: &payExpandable[payCustomer]{ID: ptr("cus_1")}, Metadata: map[string]string{"a": ""}}, 10},
		{"push", migratedPush(), 55},
		{"pull request", migratedPullRequest(), 50},
		{"empty pull request", &hookPullRequestEvent{}, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, err := json.Marshal(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			viaJSON := fresh(tt.value)
			if err := json.Unmarshal(text, viaJSON); err != nil {
				t.Fatal(err)
			}
			options := cmp.Options{
				sameInstants, cmpopts.EquateEmpty(), cmp.Exporter(func(reflect.Type) bool { return true }),
			}
			if diff := cmp.Diff(tt.value, viaJSON, options); diff != "" {
				t.Errorf("through json (-want +got):\n%s", diff)
			}

			data, err := sofab.Marshal(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			checkEncode(t, tt.name, tt.value, data)
			for _, s := range decodeSurfaces {
				got := fresh(tt.value)
				if err := s.decode(data, got); err != nil {
					t.Errorf("%s: %v", s.name, err)
				} else if diff := cmp.Diff(tt.value, got, options); diff != "" {
					t.Errorf("%s (-want +got):\n%s", s.name, diff)
				}
			}
			if len(data)*100 > tt.percent*len(text) {
				t.Errorf("%d bytes, %d%% of the %d bytes of JSON; want at most %d%%", len(data), len(data)*100/len(text), len(text), tt.percent)
			}
			t.Logf("%d bytes, JSON %d", len(data), len(text))
		})
	}
}

// TestMigrationEmpty: an empty slice or map comes back as nil, unless its tag has the
// option presence, and what a pointer points to comes back also at its zero value.
func TestMigrationEmpty(t *testing.T) {
	no := false
	in := hookPullRequest{Assignees: []*hookUser{}, Links: map[string]map[string]any{}, Mergeable: &no, Body: ptr("")}
	var out hookPullRequest
	if err := sofab.Unmarshal(sofabBytes(t, in), &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(hookPullRequest{Mergeable: &no, Body: ptr("")}, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	kept := hookCommit{Added: []string{}, Removed: nil}
	var commit hookCommit
	if err := sofab.Unmarshal(sofabBytes(t, kept), &commit); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(kept, commit); diff != "" {
		t.Errorf("with presence (-want +got):\n%s", diff)
	}
}

// TestMigrationRaw: an object whose type is only known when what stands beside it was
// read is kept as it came, and decoded then.
func TestMigrationRaw(t *testing.T) {
	pod := migratedPod("web")
	review := &k8sAdmissionReview{
		UID:       "705ab4f5",
		Object:    k8sRawExtension{pod.k8sTypeMeta, sofabBytes(t, &pod)},
		OldObject: &k8sRawExtension{},
	}
	data := sofabBytes(t, review)
	checkEncode(t, "review", review, data)
	for _, s := range decodeSurfaces {
		var got k8sAdmissionReview
		if err := s.decode(data, &got); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if got.Object.Kind != "Pod" || got.OldObject == nil {
			t.Errorf("%s: %q, %v", s.name, got.Object.Kind, got.OldObject)
		}
		var object k8sPod
		if err := sofab.Unmarshal(got.Object.Raw, &object); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if diff := cmp.Diff(pod, object, sameInstants, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.name, diff)
		}
	}
}

// TestMigrationTypes: the structs have no fault once ids are added.
func TestMigrationTypes(t *testing.T) {
	for name, check := range map[string]func() error{
		"pod list":           sofab.Check[k8sPodList],
		"deployment":         sofab.Check[k8sDeployment],
		"admission review":   sofab.Check[k8sAdmissionReview],
		"payment":            sofab.Check[payIntent],
		"push":               sofab.Check[hookPush],
		"pull request event": sofab.Check[hookPullRequestEvent],
	} {
		if err := check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
