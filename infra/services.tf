resource "google_project_service" "api" {
  for_each = toset([
    "artifactregistry", "billingbudgets", "cloudscheduler", "compute", "firebaserules", "firestore", "iam", "monitoring", "pubsub",
    "run", "secretmanager",
  ])
  service            = "${each.key}.googleapis.com"
  disable_on_destroy = false
}

resource "google_artifact_registry_repository" "images" {
  repository_id = "miramundo"
  location      = var.region
  format        = "DOCKER"
  description   = "Images of the service."
  # Enough for a rollback, and for a look at what ran in the last month.
  cleanup_policies {
    id     = "keep-recent"
    action = "KEEP"
    most_recent_versions {
      keep_count = 10
    }
  }
  cleanup_policies {
    id     = "delete-old"
    action = "DELETE"
    condition {
      older_than = "2592000s"
    }
  }
  depends_on = [google_project_service.api]
}

resource "google_cloud_run_v2_service" "service" {
  for_each = local.running

  name     = each.key
  location = var.region
  # Visitors come by the load balancer alone, the platform's callers by the address of the service.
  ingress = each.value.private ? "INGRESS_TRAFFIC_INTERNAL_ONLY" : "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER"
  # Public services check no identity: those who reach the load balancer may call. Private ones are called by the accounts
  # in accounts.tf.
  invoker_iam_disabled = !each.value.private
  deletion_protection  = false # nothing is kept in a service

  template {
    service_account                  = google_service_account.service[each.key].email
    max_instance_request_concurrency = each.value.size.concurrency
    timeout                          = "${each.value.size.timeout}s"

    scaling {
      min_instance_count = try(coalesce(var.instances[each.key].min), each.value.size.min)
      max_instance_count = try(coalesce(var.instances[each.key].max), each.value.size.max)
    }

    containers {
      image = each.value.container ? var.images[each.key] : var.images.functions

      resources {
        limits            = { cpu = each.value.size.cpu, memory = each.value.size.memory }
        cpu_idle          = each.value.size.billing == "request" # billed while requests are under way
        startup_cpu_boost = true
      }

      startup_probe {
        period_seconds    = 2
        timeout_seconds   = 2
        failure_threshold = 60
        dynamic "http_get" {
          for_each = var.await_catalog && each.value.size.probe == "ready" ? [true] : []
          content {
            path = "/ready"
          }
        }
        dynamic "tcp_socket" {
          for_each = var.await_catalog && each.value.size.probe == "ready" ? [] : [true]
          content {
            port = 8080
          }
        }
      }

      dynamic "env" {
        for_each = merge(
          {
            BACKEND              = "cloud"
            BASE_URL             = local.base_url
            BUILD                = var.build
            EDGE_ADDRESS_HEADER  = local.edge.address
            EDGE_COUNTRY_HEADER  = local.edge.country
            GOOGLE_CLOUD_PROJECT = var.project
            HOP_URL              = local.hop_url
            LEGACY_URL           = local.legacy_url
          },
          each.value.container ? {} : { FUNCTION_TARGET = join(",", each.value.processes) },
          { for name, value in merge(var.settings, local.own) : name => value if contains(each.value.settings, name) },
        )
        content {
          name  = env.key
          value = env.value
        }
      }

      dynamic "env" {
        for_each = each.value.secrets
        content {
          name = env.key
          value_source {
            secret_key_ref {
              secret  = google_secret_manager_secret.setting[env.key].secret_id
              version = lookup(var.secret_versions, env.key, "latest")
            }
          }
        }
      }
    }
  }

  depends_on = [
    google_project_service.api,
    google_project_iam_member.documents,
    google_pubsub_topic_iam_member.publisher,
    google_secret_manager_secret_iam_member.reader,
  ]

  lifecycle {
    create_before_destroy = true # removed after the load balancer no longer leads to it
  }
}
