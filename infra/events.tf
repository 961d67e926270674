# Topics with their push subscriptions, and the dead letters of each: a topic with one subscription. Their names are those of
# the table; shared/bus/pubsub makes the same ones on emulators.
locals {
  ack_deadline = 30 # seconds in which an event is counted and acknowledged
}

resource "google_pubsub_topic" "events" {
  for_each   = local.topics
  name       = each.key
  depends_on = [google_project_service.api]
}

resource "google_pubsub_topic" "dead" {
  for_each   = local.topics
  name       = "${each.key}-dead"
  depends_on = [google_project_service.api]
}

resource "google_pubsub_subscription" "push" {
  for_each = { for topic, s in local.subscriptions : topic => s if var.images != null }

  name                       = each.key
  topic                      = google_pubsub_topic.events[each.key].id
  ack_deadline_seconds       = local.ack_deadline
  message_retention_duration = each.value.delivery.retention
  expiration_policy {
    ttl = "" # never
  }
  retry_policy {
    minimum_backoff = each.value.delivery.min_backoff
    maximum_backoff = each.value.delivery.max_backoff
  }
  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.dead[each.key].id
    max_delivery_attempts = each.value.delivery.attempts
  }
  push_config {
    push_endpoint = "${local.urls[local.service_of[each.value.process]]}/events?token=${data.google_secret_manager_secret_version.events_token[0].secret_data}"
    oidc_token {
      service_account_email = google_service_account.push.email
      audience              = local.urls[local.service_of[each.value.process]]
    }
  }
}

resource "google_pubsub_subscription" "dead" {
  for_each = local.subscriptions

  name                       = "${each.key}-dead"
  topic                      = google_pubsub_topic.dead[each.key].id
  ack_deadline_seconds       = local.ack_deadline
  message_retention_duration = each.value.delivery.retention
  expiration_policy {
    ttl = ""
  }
}
