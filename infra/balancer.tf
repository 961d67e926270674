# The load balancer before the public services: https for the service and the hop, http for the player of plain media and for
# redirects.

resource "google_compute_region_network_endpoint_group" "service" {
  for_each              = local.public
  name                  = each.key
  region                = var.region
  network_endpoint_type = "SERVERLESS"
  cloud_run {
    service = google_cloud_run_v2_service.service[each.key].name
  }

  lifecycle {
    create_before_destroy = true # as the backends are
  }
}

resource "google_compute_backend_service" "service" {
  for_each              = local.public
  name                  = each.key
  load_balancing_scheme = "EXTERNAL_MANAGED"
  protocol              = "HTTPS"
  security_policy       = var.armor == null ? null : google_compute_security_policy.callers[each.key == "hop" ? "hop" : "others"].id
  custom_request_headers = [
    "${local.edge.address}: {client_ip_address}",
    "${local.edge.country}: {client_region}",
  ]

  backend {
    group = google_compute_region_network_endpoint_group.service[each.key].id
  }

  # Answers that say that caches may share them are kept by the CDN, and no others: those of the hop count the minutes of a
  # network, so that each call must reach it.
  enable_cdn = each.value.cached
  dynamic "cdn_policy" {
    for_each = each.value.cached ? [true] : []
    content {
      cache_mode        = "USE_ORIGIN_HEADERS"
      serve_while_stale = 0
      cache_key_policy {
        include_host         = true
        include_protocol     = true
        include_query_string = true
      }
    }
  }

  log_config {
    enable      = true
    sample_rate = 0.01 # each process logs its own requests
  }

  lifecycle {
    create_before_destroy = true # so that a backend is removed after the rules that lead to it, which otherwise fails
  }
}

# Each rule of routes.json, in its order. Methods are compared where two functions share a path.
resource "google_compute_url_map" "https" {
  count = var.images == null ? 0 : 1
  name  = "miramundo"
  default_url_redirect {
    host_redirect  = var.hosts.base
    https_redirect = true
    strip_query    = false
  }

  host_rule {
    hosts        = [var.hosts.base]
    path_matcher = "base"
  }
  host_rule {
    hosts        = [var.hosts.hop]
    path_matcher = "hop"
  }

  path_matcher {
    name            = "hop"
    default_service = google_compute_backend_service.service["hop"].id
  }
  path_matcher {
    name            = "base"
    default_service = google_compute_backend_service.service[local.service_of[local.routing.default]].id

    dynamic "route_rules" {
      for_each = local.routing.rules
      content {
        priority = route_rules.key + 1
        service  = google_compute_backend_service.service[local.service_of[route_rules.value.process]].id

        dynamic "match_rules" {
          for_each = local.matches[route_rules.key]
          content {
            full_path_match     = match_rules.value.path
            path_template_match = match_rules.value.template
            prefix_match        = match_rules.value.prefix
            dynamic "header_matches" {
              for_each = match_rules.value.method == null ? [] : [match_rules.value.method]
              content {
                header_name = ":method"
                exact_match = header_matches.value
              }
            }
          }
        }
      }
    }
  }
}

locals {
  # What a request must be like, for each rule: one of these.
  matches = [
    for rule in local.routing.rules : flatten([
      for method in try(rule.methods, [null]) : concat(
        [for path in try(rule.paths, []) : { method = method, path = path, template = null, prefix = null }],
        [for template in try(rule.templates, []) : { method = method, path = null, template = template, prefix = null }],
        [for prefix in try(rule.prefixes, []) : { method = method, path = null, template = null, prefix = prefix }],
      )
    ])
  ]
}

resource "google_compute_url_map" "http" {
  count = var.images == null ? 0 : 1
  name  = "miramundo-http"
  default_url_redirect {
    https_redirect         = true
    redirect_response_code = "MOVED_PERMANENTLY_DEFAULT"
    strip_query            = false
  }
  host_rule {
    hosts        = [var.hosts.legacy]
    path_matcher = "legacy"
  }
  path_matcher {
    name            = "legacy"
    default_service = google_compute_backend_service.service[local.service_of["legacy"]].id
  }
}

resource "google_compute_global_address" "public" {
  for_each   = toset(["IPV4", "IPV6"])
  name       = "miramundo-${lower(each.key)}"
  ip_version = each.key
  depends_on = [google_project_service.api]
}

resource "google_compute_managed_ssl_certificate" "hosts" {
  # Another host needs another certificate, beside the one in use until it is valid.
  name = "miramundo-${substr(sha256("${var.hosts.base} ${var.hosts.hop}"), 0, 8)}"
  managed {
    domains = [var.hosts.base, var.hosts.hop]
  }
  depends_on = [google_project_service.api]

  lifecycle {
    create_before_destroy = true
  }
}

resource "google_compute_ssl_policy" "modern" {
  name            = "miramundo"
  profile         = "MODERN"
  min_tls_version = "TLS_1_2"
  depends_on      = [google_project_service.api]
}

resource "google_compute_target_https_proxy" "https" {
  count            = var.images == null ? 0 : 1
  name             = "miramundo"
  url_map          = google_compute_url_map.https[0].id
  ssl_certificates = [google_compute_managed_ssl_certificate.hosts.id]
  ssl_policy       = google_compute_ssl_policy.modern.id
}

resource "google_compute_target_http_proxy" "http" {
  count   = var.images == null ? 0 : 1
  name    = "miramundo"
  url_map = google_compute_url_map.http[0].id
}

resource "google_compute_global_forwarding_rule" "https" {
  for_each              = { for version, address in google_compute_global_address.public : version => address.id if var.images != null }
  name                  = "miramundo-https-${lower(each.key)}"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  ip_address            = each.value
  port_range            = "443"
  target                = google_compute_target_https_proxy.https[0].id
}

resource "google_compute_global_forwarding_rule" "http" {
  for_each              = { for version, address in google_compute_global_address.public : version => address.id if var.images != null }
  name                  = "miramundo-http-${lower(each.key)}"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  ip_address            = each.value
  port_range            = "80"
  target                = google_compute_target_http_proxy.http[0].id
}
