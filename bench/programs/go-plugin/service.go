package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	clustersPath  = "/api/v1/clusters"
	providersPath = "/api/v1/platform/providers"
	// The pauses of the package's own provider.
	firstLook = 250 * time.Millisecond
	poll      = 5 * time.Second
)

type cluster struct{ Phase, Endpoint string }

// Versions of Kubernetes by type and name.
type providers map[string][]string

// A client of the service. Callers that need a list at the same time share one request.
type service struct {
	url, token string
	client     *http.Client
	clusters   shared[map[string]cluster]
	providers  shared[providers]
	// The lists that all reads of a run share.
	keptClusters  func() (map[string]cluster, error)
	keptProviders func() (providers, error)
}

func newService(url, token string) *service {
	s := &service{url: url, token: token, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 10}}}
	s.clusters.ask = s.listClusters
	s.providers.ask = s.listProviders
	s.keptClusters = sync.OnceValues(s.clusters.get)
	s.keptProviders = sync.OnceValues(s.providers.get)
	return s
}

func (s *service) send(method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	return text, err
}

func (s *service) listClusters() (map[string]cluster, error) {
	text, err := s.send("GET", clustersPath, nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []struct{ ClusterName, Phase, APIEndpoint string }
	}
	err = json.Unmarshal(text, &list)
	clusters := make(map[string]cluster, len(list.Items))
	for _, item := range list.Items {
		clusters[item.ClusterName] = cluster{Phase: item.Phase, Endpoint: item.APIEndpoint}
	}
	return clusters, err
}

func (s *service) listProviders() (providers, error) {
	text, err := s.send("GET", providersPath, nil)
	if err != nil {
		return nil, err
	}
	var list []struct {
		ProviderType string
		Configs      []struct {
			Name     string
			KubeVers []string
		}
	}
	err = json.Unmarshal(text, &list)
	found := providers{}
	for _, ofType := range list {
		for _, config := range ofType.Configs {
			found[config.Name] = config.KubeVers
		}
	}
	return found, err
}

// Shares one request among all callers that wait at the same time. A caller never gets a list that was requested before its call.
type shared[List any] struct {
	ask     func() (List, error)
	lock    sync.Mutex
	next    *request[List]
	running sync.Mutex
}

type request[List any] struct {
	done chan struct{}
	list List
	err  error
}

func (s *shared[List]) get() (List, error) {
	s.lock.Lock()
	next := s.next
	if next == nil {
		next = &request[List]{done: make(chan struct{})}
		s.next = next
		go s.run(next)
	}
	s.lock.Unlock()
	<-next.done
	return next.list, next.err
}

func (s *shared[List]) run(next *request[List]) {
	s.running.Lock()
	defer s.running.Unlock()
	s.lock.Lock()
	s.next = nil
	s.lock.Unlock()
	next.list, next.err = s.ask()
	close(next.done)
}
