package platform

import (
	"fmt"
	"net/http"

	"miramundo.dev/infra/routing"
)

// Balance returns a handler that leads the requests of the main host to services by the
// rules of the load balancer.
func Balance(rules routing.Routing, services map[string]http.Handler) (http.Handler, error) {
	for _, name := range rules.Processes() {
		if services[name] == nil {
			return nil, fmt.Errorf("a rule of the load balancer leads to %s, which is not among the services", name)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		services[rules.Find(r.Method, r.URL.EscapedPath())].ServeHTTP(w, r)
	}), nil
}
