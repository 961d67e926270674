# What wakes or informs the operator. docs/deploying.md says what to do about each alert.

locals {
  channels = [for c in google_monitoring_notification_channel.operator : c.id]

  # What is asked every minute, from several continents.
  checks = {
    base   = { host = var.hosts.base, path = "/api/health", tls = true, text = "\"ok\":true" }
    hop    = { host = var.hosts.hop, path = "/api/health", tls = true, text = "\"ok\":true" }
    legacy = { host = var.hosts.legacy, path = "/", tls = false, text = "<html" }
  }

  alerts = {
    events-wait = {
      title    = "Events wait"
      text     = "Events have waited for more than 15 minutes to be counted. The log of the function aggregate says why. Nothing is lost."
      filter   = "resource.type = \"pubsub_subscription\" AND metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\" AND resource.labels.subscription_id = one_of(${join(", ", [for topic in local.topics : "\"${topic}\""])})"
      over     = 900
      aligner  = "ALIGN_MAX"
      reducer  = "REDUCE_MAX"
      duration = "300s"
    }
    dead-letters = {
      title    = "Dead letters"
      text     = "Events were given up or rejected. Repair what the log of aggregate names, then run make replay."
      filter   = "resource.type = \"pubsub_subscription\" AND metric.type = \"pubsub.googleapis.com/subscription/num_undelivered_messages\" AND resource.labels.subscription_id = one_of(${join(", ", [for topic in local.topics : "\"${topic}-dead\""])})"
      over     = 0
      aligner  = "ALIGN_MAX"
      reducer  = "REDUCE_SUM"
      duration = "300s"
    }
    jobs-fail = {
      title    = "Jobs fail"
      text     = "A job failed at every attempt for a quarter of an hour. GET /api/admin/jobs shows which, with their reports."
      filter   = "resource.type = \"cloud_run_revision\" AND metric.type = \"run.googleapis.com/request_count\" AND metric.labels.response_code_class = \"5xx\" AND resource.labels.service_name = \"${local.service_of["jobs"]}\""
      over     = 1 # a job that runs every five minutes fails twice in them, with its second attempt
      aligner  = "ALIGN_DELTA"
      reducer  = "REDUCE_SUM"
      duration = "900s"
    }
  }
}

resource "google_monitoring_notification_channel" "operator" {
  count        = var.alert_email == null ? 0 : 1
  display_name = "Operator"
  type         = "email"
  labels       = { email_address = var.alert_email }
  depends_on   = [google_project_service.api]
}

resource "google_monitoring_uptime_check_config" "host" {
  for_each     = { for name, c in local.checks : name => c if var.alert_email != null && var.images != null }
  display_name = each.value.host
  timeout      = "10s"
  period       = "60s"
  http_check {
    path         = each.value.path
    port         = each.value.tls ? 443 : 80
    use_ssl      = each.value.tls
    validate_ssl = each.value.tls
  }
  monitored_resource {
    type   = "uptime_url"
    labels = { project_id = var.project, host = each.value.host }
  }
  content_matchers {
    content = each.value.text
    matcher = "CONTAINS_STRING"
  }
}

resource "google_monitoring_alert_policy" "down" {
  for_each     = google_monitoring_uptime_check_config.host
  display_name = "${each.value.display_name} does not answer"
  combiner     = "OR"
  conditions {
    display_name = "The check fails from two places or more"
    condition_threshold {
      filter          = "resource.type = \"uptime_url\" AND metric.type = \"monitoring.googleapis.com/uptime_check/check_passed\" AND metric.labels.check_id = \"${each.value.uptime_check_id}\""
      comparison      = "COMPARISON_GT"
      threshold_value = 1
      duration        = "120s"
      aggregations {
        alignment_period     = "120s"
        per_series_aligner   = "ALIGN_NEXT_OLDER"
        cross_series_reducer = "REDUCE_COUNT_FALSE"
        group_by_fields      = ["resource.label.host"]
      }
    }
  }
  documentation {
    content   = "Does the newest release answer? `infra/deploy smoke` asks each part. After a release, roll back first."
    mime_type = "text/markdown"
  }
  notification_channels = local.channels
}

resource "google_monitoring_alert_policy" "errors" {
  count        = var.alert_email == null ? 0 : 1
  display_name = "Requests fail"
  combiner     = "OR"
  conditions {
    display_name = "More than 1 % of the requests are answered with 500 or more"
    condition_threshold {
      filter             = "resource.type = \"https_lb_rule\" AND metric.type = \"loadbalancing.googleapis.com/https/request_count\" AND metric.labels.response_code_class = 500"
      denominator_filter = "resource.type = \"https_lb_rule\" AND metric.type = \"loadbalancing.googleapis.com/https/request_count\""
      comparison         = "COMPARISON_GT"
      threshold_value    = 0.01
      duration           = "300s"
      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_RATE"
        cross_series_reducer = "REDUCE_SUM"
      }
      denominator_aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_RATE"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }
  documentation {
    content   = "The logs at the level ERROR have the causes. After a release, roll back first: `infra/deploy rollback COMMIT`."
    mime_type = "text/markdown"
  }
  notification_channels = local.channels
  depends_on            = [google_project_service.api]
}

resource "google_monitoring_alert_policy" "alert" {
  for_each     = { for name, a in local.alerts : name => a if var.alert_email != null }
  display_name = each.value.title
  combiner     = "OR"
  conditions {
    display_name = each.value.title
    condition_threshold {
      filter          = each.value.filter
      comparison      = "COMPARISON_GT"
      threshold_value = each.value.over
      duration        = each.value.duration
      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = each.value.aligner
        cross_series_reducer = each.value.reducer
      }
    }
  }
  documentation {
    content   = each.value.text
    mime_type = "text/markdown"
  }
  notification_channels = local.channels
  depends_on            = [google_project_service.api]
}

resource "google_billing_budget" "month" {
  count           = var.budget == null ? 0 : 1
  billing_account = var.budget.billing_account
  display_name    = "miramundo"
  budget_filter {
    projects = ["projects/${data.google_project.this.number}"]
  }
  amount {
    specified_amount {
      currency_code = var.budget.currency
      units         = tostring(floor(var.budget.amount))
    }
  }
  dynamic "threshold_rules" {
    for_each = [0.5, 0.9, 1]
    content {
      threshold_percent = threshold_rules.value
    }
  }
  threshold_rules {
    threshold_percent = 1
    spend_basis       = "FORECASTED_SPEND"
  }
  dynamic "all_updates_rule" {
    for_each = var.alert_email == null ? [] : [true]
    content {
      monitoring_notification_channels = local.channels
    }
  }
  depends_on = [google_project_service.api]
}
