# A limit for each address, before requests cost anything. The limits of the service itself (shared/budget) are finer; this one
# is for floods. A home's players refetch a playlist every few seconds, so the hop allows more.
resource "google_compute_security_policy" "callers" {
  for_each = var.armor == null ? {} : { hop = var.armor.hop, others = var.armor.others }
  name     = "miramundo-${each.key}"

  rule {
    description = "Requests of one address a minute"
    priority    = 1000
    action      = "throttle"
    match {
      versioned_expr = "SRC_IPS_V1"
      config {
        src_ip_ranges = ["*"]
      }
    }
    rate_limit_options {
      enforce_on_key = "IP"
      conform_action = "allow"
      exceed_action  = "deny(429)"
      rate_limit_threshold {
        count        = each.value
        interval_sec = 60
      }
    }
  }

  rule {
    description = "Everybody else"
    priority    = 2147483647
    action      = "allow"
    match {
      versioned_expr = "SRC_IPS_V1"
      config {
        src_ip_ranges = ["*"]
      }
    }
  }
  depends_on = [google_project_service.api]

  lifecycle {
    create_before_destroy = true # removed after the backends no longer use it
  }
}
