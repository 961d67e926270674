# One account for each service, with the rights that its functions declare and no others, and one for each caller of private
# services.

resource "google_service_account" "service" {
  for_each     = local.services
  account_id   = "run-${each.key}"
  display_name = "Service ${each.key}"
  depends_on   = [google_project_service.api]
}

resource "google_service_account" "push" {
  account_id   = "pubsub-push"
  display_name = "Pushes events"
  depends_on   = [google_project_service.api]
}

resource "google_service_account" "scheduler" {
  account_id   = "scheduler-jobs"
  display_name = "Calls jobs on their schedules"
  depends_on   = [google_project_service.api]
}

resource "google_project_iam_member" "documents" {
  for_each = { for name, s in local.services : name => s if s.documents }
  project  = var.project
  role     = "roles/datastore.user"
  member   = google_service_account.service[each.key].member
}

locals {
  publishers = merge([for name, s in local.services : { for topic in s.publishes : "${name}/${topic}" => { service = name, topic = topic } }]...)
  replayers  = merge([for name, s in local.services : { for dead in s.replays : "${name}/${dead}" => { service = name, subscription = dead } }]...)
  readers    = merge([for name, s in local.services : { for secret in s.secrets : "${name}/${secret}" => { service = name, secret = secret } }]...)
}

resource "google_pubsub_topic_iam_member" "publisher" {
  for_each = local.publishers
  topic    = endswith(each.value.topic, "-dead") ? google_pubsub_topic.dead[trimsuffix(each.value.topic, "-dead")].name : google_pubsub_topic.events[each.value.topic].name
  role     = "roles/pubsub.publisher"
  member   = google_service_account.service[each.value.service].member
}

# Those who deliver dead letters again, or drop them.
resource "google_pubsub_subscription_iam_member" "replayer" {
  for_each     = local.replayers
  subscription = google_pubsub_subscription.dead[trimsuffix(each.value.subscription, "-dead")].name
  role         = "roles/pubsub.subscriber"
  member       = google_service_account.service[each.value.service].member
}

resource "google_secret_manager_secret_iam_member" "reader" {
  for_each  = local.readers
  secret_id = google_secret_manager_secret.setting[each.value.secret].id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.service[each.value.service].member
}

# Pub/Sub forwards dead letters by an account of its own, and signs the tokens of pushes for the account that pushes.
locals {
  pubsub_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}

resource "google_pubsub_topic_iam_member" "forwards" {
  for_each = local.topics
  topic    = google_pubsub_topic.dead[each.key].name
  role     = "roles/pubsub.publisher"
  member   = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "forwards" {
  for_each     = google_pubsub_subscription.push
  subscription = each.value.name
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}

resource "google_service_account_iam_member" "signs" {
  service_account_id = google_service_account.push.name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = local.pubsub_agent
}

# The callers of private services.
resource "google_cloud_run_v2_service_iam_member" "push" {
  for_each = { for topic, s in local.subscriptions : local.service_of[s.process] => true... if var.images != null }
  name     = google_cloud_run_v2_service.service[each.key].name
  location = var.region
  role     = "roles/run.invoker"
  member   = google_service_account.push.member
}

resource "google_cloud_run_v2_service_iam_member" "scheduler" {
  for_each = var.images == null ? toset([]) : toset([local.service_of["jobs"]])
  name     = google_cloud_run_v2_service.service[each.key].name
  location = var.region
  role     = "roles/run.invoker"
  member   = google_service_account.scheduler.member
}
