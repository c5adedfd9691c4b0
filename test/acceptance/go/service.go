package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
)

const clusterList = "/api/v1/clusters"

// request fails the whole run, because a test without its service proves nothing.
func request(method, path string, body any) []byte {
	sent, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	asked, err := http.NewRequest(method, os.Getenv("CLUSTER_PLATFORM_URL")+path, bytes.NewReader(sent))
	if err != nil {
		panic(err)
	}
	asked.Header.Set("Authorization", "Bearer "+os.Getenv("CLUSTER_PLATFORM_TOKEN"))
	asked.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(asked)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	var content bytes.Buffer
	if _, err := content.ReadFrom(answer.Body); err != nil {
		panic(err)
	}
	if answer.StatusCode >= 300 {
		panic(fmt.Sprintf("%s %s: %s %s", method, path, answer.Status, content.String()))
	}
	return content.Bytes()
}

func decoded(content []byte, into any) {
	if err := json.Unmarshal(content, into); err != nil {
		panic(err)
	}
}

// events are the creations and deletions on the service in order, as in "+capvs/clusters/prod".
func events() []string {
	var log struct {
		Events []struct{ Action, Type, Kind, Name string }
	}
	decoded(request("GET", "/_simulator/log", nil), &log)
	var all []string
	for _, event := range log.Events {
		sign := map[string]string{"created": "+", "deleted": "-"}[event.Action]
		all = append(all, sign+event.Type+"/"+event.Kind+"/"+event.Name)
	}
	return all
}

// live are the ids of the objects that are on the service, sorted.
func live() []string {
	all := []string{}
	for _, event := range events() {
		id := event[1:]
		if strings.HasPrefix(event, "+") {
			all = append(all, id)
		} else {
			all = slices.DeleteFunc(all, func(each string) bool { return each == id })
		}
	}
	slices.Sort(all)
	return all
}

// scaleByHand lets the list of clusters show other numbers of control plane nodes until heal.
func scaleByHand(count int) {
	var list map[string]any
	decoded(request("GET", clusterList, nil), &list)
	for _, item := range list["items"].([]any) {
		item.(map[string]any)["controlplaneNodesCount"] = count
	}
	fault := map[string]any{"kind": "status", "status": 200, "method": "GET", "path": clusterList, "body": list}
	request("POST", "/_simulator/faults", fault)
}

func heal() {
	request("DELETE", "/_simulator/faults", nil)
}

func deleteByHand(cluster string) {
	request("DELETE", clusterList+"/"+cluster, nil)
}
