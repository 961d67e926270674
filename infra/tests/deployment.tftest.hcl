# What a deployment consists of, compared with the table of functions. The provider is mocked: `make infra-check` runs these
# tests without a network.

mock_provider "google" {
  override_during = plan

  mock_data "google_project" {
    defaults = { number = "123456789012" }
  }
  mock_data "google_secret_manager_secret_version" {
    defaults = { secret_data = "token-of-the-tests" }
  }
}

override_resource {
  target          = google_service_account.push
  override_during = plan
  values          = { email = "pubsub-push@demo.example", member = "serviceAccount:pubsub-push@demo.example" }
}

override_resource {
  target          = google_service_account.scheduler
  override_during = plan
  values          = { email = "scheduler-jobs@demo.example", member = "serviceAccount:scheduler-jobs@demo.example" }
}

variables {
  project = "demo"
  region  = "southamerica-east1"
  hosts   = { base = "tv.example.org", hop = "hop.tv.example.org", legacy = "plain.tv.example.org" }
  build   = "abc1234"
  images = {
    functions = "registry.example/functions@sha256:0000000000000000000000000000000000000000000000000000000000000001"
    hop       = "registry.example/hop@sha256:0000000000000000000000000000000000000000000000000000000000000002"
    chatroom  = "registry.example/chatroom@sha256:0000000000000000000000000000000000000000000000000000000000000003"
  }
  settings    = { MAIL_SMTP = "mail.example.org:465", MAIL_FROM = "tv@example.org", CONTACT_EMAIL = "operator@example.org" }
  alert_email = "operator@example.org"
  budget      = { billing_account = "000000-000000-000000", amount = 100 }
}

run "each_function_a_service" {
  command = plan # once for all of these: a plan takes seconds

  # Services

  assert {
    condition     = toset(keys(google_cloud_run_v2_service.service)) == toset([for p in jsondecode(file("functions.json")) : p.name])
    error_message = "Every function and container of functions.json must be a service, and nothing else."
  }
  assert {
    condition = alltrue([
      for p in jsondecode(file("functions.json")) :
      { for e in google_cloud_run_v2_service.service[p.name].template[0].containers[0].env : e.name => e.value if e.name == "FUNCTION_TARGET" }
      == { for name in ["FUNCTION_TARGET"] : name => p.name if p.kind == "function" }
    ])
    error_message = "Each function must be the target of its service, and a container must have none."
  }
  assert {
    condition = alltrue([
      for name, s in google_cloud_run_v2_service.service :
      length(setsubtract(["BACKEND", "BASE_URL", "BUILD", "EDGE_ADDRESS_HEADER", "GOOGLE_CLOUD_PROJECT", "HOP_URL", "LEGACY_URL"], s.template[0].containers[0].env[*].name)) == 0
    ])
    error_message = "A deployed process refuses to start without these settings."
  }
  assert {
    condition = alltrue([
      for s in google_cloud_run_v2_service.service :
      length(setintersection(["ORIGIN_ALLOW", "CATALOG_EXTRA", "FIRESTORE_EMULATOR_HOST", "PUBSUB_EMULATOR_HOST", "JOBS_TOKEN", "MAIL_FOLDER"], s.template[0].containers[0].env[*].name)) == 0
    ])
    error_message = "A deployed process refuses to start with these settings."
  }
  assert {
    condition = alltrue([
      for p in jsondecode(file("functions.json")) :
      length(setsubtract(try(p.requires, []), google_cloud_run_v2_service.service[p.name].template[0].containers[0].env[*].name)) == 0
    ])
    error_message = "Each process must have the settings and secrets that it requires."
  }
  assert {
    condition = alltrue([
      for p in jsondecode(file("functions.json")) :
      google_cloud_run_v2_service.service[p.name].ingress == (p.private ? "INGRESS_TRAFFIC_INTERNAL_ONLY" : "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER") &&
      google_cloud_run_v2_service.service[p.name].invoker_iam_disabled == !p.private
    ])
    error_message = "Visitors come by the load balancer alone, and only accounts with the right may call private services."
  }
  assert {
    condition     = google_cloud_run_v2_service.service["jobs"].ingress == "INGRESS_TRAFFIC_INTERNAL_ONLY" && google_cloud_run_v2_service.service["aggregate"].ingress == "INGRESS_TRAFFIC_INTERNAL_ONLY"
    error_message = "The functions that the platform calls must be private."
  }
  assert {
    condition = alltrue([
      for name, row in merge(jsondecode(file("sizing.json")).each, jsondecode(file("sizing.json")).containers) :
      google_cloud_run_v2_service.service[name].template[0].max_instance_request_concurrency == row.concurrency &&
      google_cloud_run_v2_service.service[name].template[0].scaling[0].max_instance_count == row.max &&
      google_cloud_run_v2_service.service[name].template[0].scaling[0].min_instance_count == row.min &&
      google_cloud_run_v2_service.service[name].template[0].containers[0].resources[0].cpu_idle == (row.billing == "request")
    ])
    error_message = "Each service must have the size of its row in sizing.json."
  }
  assert {
    condition     = google_cloud_run_v2_service.service["catalog"].template[0].containers[0].startup_probe[0].http_get[0].path == "/ready" && length(google_cloud_run_v2_service.service["jobs"].template[0].containers[0].startup_probe[0].http_get) == 0
    error_message = "Requests wait for the catalog, but the job that makes it must not."
  }

  # The load balancer

  assert {
    condition = length(setsubtract(
      flatten([for r in jsondecode(file("routes.json")).rules : try(r.paths, [])]),
      flatten([for m in google_compute_url_map.https[0].path_matcher : [for r in m.route_rules : r.match_rules[*].full_path_match] if m.name == "base"]),
    )) == 0
    error_message = "Every path of routes.json must be in the URL map."
  }
  assert {
    condition = length(setsubtract(
      flatten([for r in jsondecode(file("routes.json")).rules : try(r.templates, [])]),
      flatten([for m in google_compute_url_map.https[0].path_matcher : [for r in m.route_rules : r.match_rules[*].path_template_match] if m.name == "base"]),
    )) == 0
    error_message = "Every template of routes.json must be in the URL map."
  }
  assert {
    condition     = tolist(one([for m in google_compute_url_map.https[0].path_matcher : [for r in m.route_rules : r.priority] if m.name == "base"])) == range(1, length(jsondecode(file("routes.json")).rules) + 1)
    error_message = "The rules must be compared in the order of routes.json."
  }
  assert {
    condition = alltrue(flatten([
      for m in google_compute_url_map.https[0].path_matcher : [
        for i, r in m.route_rules : [
          for match in r.match_rules :
          [for h in match.header_matches : h.exact_match if h.header_name == ":method"] == [for h in match.header_matches : h.exact_match] &&
          (length(match.header_matches) == 1) == can(jsondecode(file("routes.json")).rules[i].methods)
        ]
      ] if m.name == "base"
    ]))
    error_message = "Rules with methods must compare the method, and others must not."
  }
  assert {
    condition     = toset(flatten(google_compute_url_map.https[0].host_rule[*].hosts)) == toset(["tv.example.org", "hop.tv.example.org"]) && toset(flatten(google_compute_url_map.http[0].host_rule[*].hosts)) == toset(["plain.tv.example.org"])
    error_message = "The service and the hop answer https, the player of plain media http."
  }
  assert {
    condition     = google_compute_url_map.http[0].default_url_redirect[0].https_redirect && google_compute_managed_ssl_certificate.hosts.managed[0].domains == tolist(["tv.example.org", "hop.tv.example.org"])
    error_message = "Everything else at http is redirected to the hosts with a certificate."
  }
  assert {
    condition     = toset(keys(google_compute_backend_service.service)) == toset([for p in jsondecode(file("functions.json")) : p.name if !p.private])
    error_message = "The load balancer must lead to every public service and to no private one."
  }
  assert {
    condition     = alltrue([for p in jsondecode(file("functions.json")) : google_compute_backend_service.service[p.name].enable_cdn == p.cached if !p.private]) && !google_compute_backend_service.service["hop"].enable_cdn
    error_message = "The CDN stands before those services whose answers say that it may keep them; never before the hop."
  }
  assert {
    condition = alltrue([
      for b in google_compute_backend_service.service : length(setsubtract(["X-Caller-Address: {client_ip_address}", "X-Caller-Country: {client_region}"], b.custom_request_headers)) == 0
    ])
    error_message = "Every request must have the address and the country of its caller."
  }

  # Events and jobs

  assert {
    condition     = toset(keys(google_pubsub_subscription.push)) == toset(distinct(flatten([for p in jsondecode(file("functions.json")) : try(p.receives, [])]))) && toset(keys(google_pubsub_topic.events)) == toset(keys(google_pubsub_subscription.push))
    error_message = "Every topic of functions.json must have a push subscription."
  }
  assert {
    condition = alltrue(flatten([
      for p in jsondecode(file("functions.json")) : [
        for topic in try(p.receives, []) :
        google_pubsub_subscription.push[topic].dead_letter_policy[0].max_delivery_attempts == p.delivery.attempts &&
        google_pubsub_subscription.push[topic].retry_policy[0].minimum_backoff == p.delivery.min_backoff &&
        google_pubsub_subscription.push[topic].retry_policy[0].maximum_backoff == p.delivery.max_backoff &&
        google_pubsub_subscription.push[topic].message_retention_duration == p.delivery.retention &&
        google_pubsub_subscription.dead[topic].message_retention_duration == p.delivery.retention &&
        google_pubsub_subscription.push[topic].push_config[0].push_endpoint == "https://${p.name}-123456789012.southamerica-east1.run.app/events?token=token-of-the-tests"
      ]
    ]))
    error_message = "Each subscription must deliver as functions.json says, to the function that receives it."
  }
  assert {
    condition = alltrue([
      for s in google_pubsub_subscription.push :
      s.push_config[0].oidc_token[0].service_account_email == "pubsub-push@demo.example" && startswith(s.push_config[0].push_endpoint, "${s.push_config[0].oidc_token[0].audience}/")
    ])
    error_message = "Pushes must be signed for the service that they go to."
  }
  assert {
    condition     = alltrue([for s in merge(google_pubsub_subscription.push, google_pubsub_subscription.dead) : s.expiration_policy[0].ttl == ""])
    error_message = "Subscriptions never expire."
  }
  assert {
    condition     = { for name, j in google_cloud_scheduler_job.job : name => j.http_target[0].uri } == { for job, every in merge([for p in jsondecode(file("functions.json")) : try(p.schedules, {})]...) : job => "https://jobs-123456789012.southamerica-east1.run.app/jobs/${job}" }
    error_message = "Every job of functions.json must be scheduled, and no other."
  }
  assert {
    condition     = alltrue([for j in google_cloud_scheduler_job.job : j.http_target[0].oidc_token[0].service_account_email == "scheduler-jobs@demo.example" && j.http_target[0].oidc_token[0].audience == "https://jobs-123456789012.southamerica-east1.run.app"])
    error_message = "Calls of jobs must be signed for the function jobs."
  }
  assert {
    condition = { for e in google_cloud_run_v2_service.service["jobs"].template[0].containers[0].env : e.name => e.value if startswith(e.name, "JOBS_") } == {
      JOBS_AUDIENCE = "https://jobs-123456789012.southamerica-east1.run.app", JOBS_CALLER = "scheduler-jobs@demo.example",
    }
    error_message = "The function jobs must recognize the scheduler's calls."
  }
  assert {
    condition     = local.crons["payments"] == "* * * * *" && local.crons["probe"] == "*/5 * * * *" && can(regex("^[0-9]+ \\*/6 \\* \\* \\*$", local.crons["catalog-reload"])) && can(regex("^[0-9]+ \\* \\* \\* \\*$", local.crons["guide"])) && can(regex("^[0-9]+ 4 \\* \\* \\*$", local.crons["catalog-dump"]))
    error_message = "Jobs must run as often as the table says."
  }

  # Rights

  assert {
    condition = toset([for r in google_secret_manager_secret_iam_member.reader : r.role]) == toset(["roles/secretmanager.secretAccessor"]) && toset(keys(google_secret_manager_secret_iam_member.reader)) == toset(flatten([
      for p in jsondecode(file("functions.json")) : [for s in try(p.secrets, []) : "${p.name}/${s}" if contains(keys(google_secret_manager_secret.setting), s)]
    ]))
    error_message = "A secret must be readable by the processes that declare it, and by no others."
  }
  assert {
    condition = alltrue([
      for p in jsondecode(file("functions.json")) :
      toset([for e in google_cloud_run_v2_service.service[p.name].template[0].containers[0].env : e.name if length(e.value_source) > 0]) == toset([for s in try(p.secrets, []) : s if contains(keys(google_secret_manager_secret.setting), s)])
    ])
    error_message = "A secret must reach the processes that declare it, by reference and never as a value."
  }
  assert {
    condition     = !contains(keys(google_secret_manager_secret.setting), "MAIL_PASSWORD")
    error_message = "Secrets that nothing requires exist only when the operator names them."
  }
  assert {
    condition     = toset(keys(google_project_iam_member.documents)) == toset([for p in jsondecode(file("functions.json")) : p.name if contains(p.opens, "documents")]) && toset([for r in google_project_iam_member.documents : r.role]) == toset(["roles/datastore.user"])
    error_message = "Those that open documents, and no others, may use the database."
  }
  assert {
    condition = toset([for r in google_pubsub_topic_iam_member.publisher : r.role]) == toset(["roles/pubsub.publisher"]) && toset(keys(google_pubsub_topic_iam_member.publisher)) == toset(flatten([
      for p in jsondecode(file("functions.json")) : [for topic in concat(try(p.publishes, []), try(p.rejects, [])) : "${p.name}/${topic}"]
    ]))
    error_message = "A process may publish to the topics that it declares, and to no others."
  }
  assert {
    condition = toset([for r in google_pubsub_subscription_iam_member.replayer : r.role]) == toset(["roles/pubsub.subscriber"]) && toset(keys(google_pubsub_subscription_iam_member.replayer)) == toset(flatten([
      for p in jsondecode(file("functions.json")) : [for dead in try(p.replays, []) : "${p.name}/${dead}"]
    ]))
    error_message = "Those that replay dead letters, and no others, may pull them."
  }
  assert {
    condition     = toset(keys(google_cloud_run_v2_service_iam_member.push)) == toset(["aggregate"]) && toset(keys(google_cloud_run_v2_service_iam_member.scheduler)) == toset(["jobs"]) && toset([for r in merge(google_cloud_run_v2_service_iam_member.push, google_cloud_run_v2_service_iam_member.scheduler) : r.role]) == toset(["roles/run.invoker"])
    error_message = "Pub/Sub calls aggregate, the scheduler calls jobs, and nobody else calls either."
  }

  # Documents

  assert {
    condition = toset([for name, f in google_firestore_field.field : name if length(f.ttl_config) > 0]) == toset([
      for f in jsondecode(file("../firestore.indexes.json")).fieldOverrides : "${f.collectionGroup}/${f.fieldPath}" if try(f.ttl, false)
    ])
    error_message = "The fields by which documents expire must be those of firestore.indexes.json."
  }
  assert {
    condition     = length(google_firestore_field.field) == length(jsondecode(file("../firestore.indexes.json")).fieldOverrides) && alltrue([for f in google_firestore_field.field : length(f.index_config) == 1 && length(f.index_config[0].indexes) == 0])
    error_message = "Every declared field must be without an index."
  }
  assert {
    condition = toset([for i in google_firestore_index.index : jsonencode([i.collection, [for f in i.fields : [f.field_path, f.order]]])]) == toset([
      for i in jsondecode(file("../firestore.indexes.json")).indexes : jsonencode([i.collectionGroup, [for f in i.fields : [f.fieldPath, f.order]]])
    ])
    error_message = "The composite indexes must be those of firestore.indexes.json."
  }
  assert {
    condition     = google_firestore_database.default.point_in_time_recovery_enablement == "POINT_IN_TIME_RECOVERY_ENABLED" && google_firestore_database.default.delete_protection_state == "DELETE_PROTECTION_ENABLED" && google_firestore_backup_schedule.daily.retention == "8467200s"
    error_message = "The database must be recoverable."
  }
  assert {
    condition     = google_firebaserules_ruleset.firestore.source[0].files[0].content == file("../firestore.rules")
    error_message = "The rules must be those of the repository."
  }

  # Limits and alerts

  assert {
    condition = alltrue([
      for name, p in google_compute_security_policy.callers :
      [for r in p.rule : "${r.rate_limit_options[0].enforce_on_key} ${r.rate_limit_options[0].rate_limit_threshold[0].count}" if r.action == "throttle"] == ["IP ${var.armor[name]}"] &&
      length([for r in p.rule : r if r.action == "allow" && r.priority == 2147483647]) == 1
    ])
    error_message = "Each address must be limited, and everybody else let in."
  }
  assert {
    condition = alltrue([
      for topic in distinct(flatten([for p in jsondecode(file("functions.json")) : try(p.receives, [])])) :
      strcontains(google_monitoring_alert_policy.alert["events-wait"].conditions[0].condition_threshold[0].filter, "\"${topic}\"") &&
      strcontains(google_monitoring_alert_policy.alert["dead-letters"].conditions[0].condition_threshold[0].filter, "\"${topic}-dead\"")
    ])
    error_message = "Events that wait and dead letters of every topic must raise an alert."
  }
  assert {
    condition     = toset([for c in google_monitoring_uptime_check_config.host : c.monitored_resource[0].labels.host]) == toset(values(var.hosts)) && toset(keys(google_monitoring_alert_policy.down)) == toset(keys(google_monitoring_uptime_check_config.host))
    error_message = "Each host must be asked, and an alert raised when it does not answer."
  }
  assert {
    condition     = alltrue([for a in concat(values(google_monitoring_alert_policy.alert), values(google_monitoring_alert_policy.down), google_monitoring_alert_policy.errors) : length(a.notification_channels) == 1])
    error_message = "Each alert must reach the operator."
  }
  assert {
    condition     = google_billing_budget.month[0].amount[0].specified_amount[0].units == "100" && length(google_billing_budget.month[0].threshold_rules) == 4
    error_message = "The budget must be that of the operator."
  }
}

run "five_services" {
  command = plan
  variables {
    grouping = "five"
  }

  assert {
    condition     = toset(keys(google_cloud_run_v2_service.service)) == toset(concat(keys(jsondecode(file("sizing.json")).five), keys(jsondecode(file("sizing.json")).containers)))
    error_message = "There must be five services of functions, beside the containers."
  }
  assert {
    condition     = [for e in google_cloud_run_v2_service.service["private"].template[0].containers[0].env : e.value if e.name == "FUNCTION_TARGET"] == ["aggregate,jobs"]
    error_message = "A service must serve the functions of its group."
  }
  assert {
    condition     = toset([for name, s in google_cloud_run_v2_service.service : name if s.ingress == "INGRESS_TRAFFIC_INTERNAL_ONLY"]) == toset(["private"])
    error_message = "What the platform calls must stay private."
  }
  assert {
    condition     = alltrue([for s in google_pubsub_subscription.push : startswith(s.push_config[0].push_endpoint, "https://private-123456789012.")]) && alltrue([for j in google_cloud_scheduler_job.job : startswith(j.http_target[0].uri, "https://private-123456789012.")])
    error_message = "Events and jobs must go to the service that has their functions."
  }
  assert {
    condition = toset(keys(google_secret_manager_secret_iam_member.reader)) == toset(flatten([
      for service, group in merge({ for name, g in jsondecode(file("sizing.json")).five : name => g.functions }, { hop = ["hop"], chatroom = ["chatroom"] }) : [
        for secret in distinct(flatten([for p in jsondecode(file("functions.json")) : try(p.secrets, []) if contains(group, p.name)])) : "${service}/${secret}" if contains(keys(google_secret_manager_secret.setting), secret)
      ]
    ]))
    error_message = "A service must read the secrets of its functions, and no others."
  }
}

run "before_the_first_images" {
  command = plan
  variables {
    images = null
  }

  assert {
    condition     = length(google_cloud_run_v2_service.service) == 0 && length(google_cloud_scheduler_job.job) == 0 && length(google_pubsub_subscription.push) == 0
    error_message = "Without images there must be no services, and nothing that calls them."
  }
  assert {
    condition     = contains(keys(google_secret_manager_secret.setting), "GUEST_KEYS") && length(google_pubsub_topic.events) > 0 && length(google_compute_global_address.public) == 2
    error_message = "Secrets, topics and addresses must be there before the services."
  }
}

run "options" {
  command = plan
  variables {
    armor            = null
    alert_email      = null
    budget           = null
    await_catalog    = false
    optional_secrets = ["MAIL_PASSWORD"]
    secret_versions  = { GUEST_KEYS = "3" }
    instances        = { hop = { min = 0 }, web = { max = 3 } }
  }

  assert {
    condition     = length(google_compute_security_policy.callers) == 0 && length(google_monitoring_alert_policy.alert) == 0 && length(google_billing_budget.month) == 0
    error_message = "What is set to null must not be there."
  }
  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.service : length(s.template[0].containers[0].startup_probe[0].http_get) == 0])
    error_message = "Before there is a catalog no service may wait for it."
  }
  assert {
    condition     = contains(keys(google_secret_manager_secret_iam_member.reader), "account/MAIL_PASSWORD") && !contains(keys(google_secret_manager_secret_iam_member.reader), "facets/MAIL_PASSWORD")
    error_message = "An optional secret reaches those that read it."
  }
  assert {
    condition     = [for e in google_cloud_run_v2_service.service["guest"].template[0].containers[0].env : e.value_source[0].secret_key_ref[0].version if e.name == "GUEST_KEYS"] == ["3"]
    error_message = "A secret must be read at the version that is named."
  }
  assert {
    condition     = google_cloud_run_v2_service.service["hop"].template[0].scaling[0].min_instance_count == 0 && google_cloud_run_v2_service.service["hop"].template[0].scaling[0].max_instance_count == 10 && google_cloud_run_v2_service.service["web"].template[0].scaling[0].max_instance_count == 3
    error_message = "Numbers of instances that are given must be used."
  }
}

run "refuses_tags" {
  command = plan
  variables {
    images = { functions = "registry.example/functions:latest", hop = "registry.example/hop:latest", chatroom = "registry.example/chatroom:latest" }
  }
  expect_failures = [var.images]
}

run "refuses_unknown_settings" {
  command = plan
  variables {
    settings = { MAIL_SMTP = "mail.example.org:465", MAIL_FOLDER = "/tmp" }
  }
  expect_failures = [var.settings]
}

run "refuses_missing_settings" {
  command = plan
  variables {
    settings = {}
  }
  expect_failures = [var.settings]
}

run "refuses_half_of_what_goes_together" {
  command = plan
  variables {
    settings         = { MAIL_SMTP = "mail.example.org:465", MAIL_FROM = "tv@example.org", CONTACT_EMAIL = "operator@example.org", HUMAN_SITE_KEY = "site", HUMAN_SCRIPT = "https://human.example/api.js" }
    optional_secrets = ["HUMAN_SECRET"]
  }
  expect_failures = [var.settings]
}

run "refuses_hosts_that_are_addresses" {
  command = plan
  variables {
    hosts = { base = "https://tv.example.org", hop = "hop.tv.example.org", legacy = "plain.tv.example.org" }
  }
  expect_failures = [var.hosts]
}

run "refuses_unknown_services" {
  command = plan
  variables {
    instances = { shop = { min = 1 } }
  }
  expect_failures = [var.instances]
}
