# The database with what firestore.indexes.json and firestore.rules declare. shared/policy ties the former to the source.
resource "google_firestore_database" "default" {
  name                              = "(default)"
  location_id                       = coalesce(var.firestore_location, var.region)
  type                              = "FIRESTORE_NATIVE"
  concurrency_mode                  = "OPTIMISTIC"
  point_in_time_recovery_enablement = "POINT_IN_TIME_RECOVERY_ENABLED"
  delete_protection_state           = "DELETE_PROTECTION_ENABLED"
  deletion_policy                   = "ABANDON"
  depends_on                        = [google_project_service.api]

  lifecycle {
    prevent_destroy = true
  }
}

resource "google_firestore_backup_schedule" "daily" {
  database  = google_firestore_database.default.name
  retention = "8467200s" # 14 weeks, the longest that there is
  daily_recurrence {}
}

resource "google_firestore_index" "index" {
  for_each = { for i in local.documents.indexes : join("/", concat([i.collectionGroup], [for f in i.fields : "${f.fieldPath} ${f.order}"])) => i }

  database    = google_firestore_database.default.name
  collection  = each.value.collectionGroup
  query_scope = each.value.queryScope
  dynamic "fields" {
    for_each = each.value.fields
    content {
      field_path = fields.value.fieldPath
      order      = fields.value.order
    }
  }
}

# Fields without an index, and fields by which documents expire.
resource "google_firestore_field" "field" {
  for_each = { for f in local.documents.fieldOverrides : "${f.collectionGroup}/${f.fieldPath}" => f }

  database   = google_firestore_database.default.name
  collection = each.value.collectionGroup
  field      = each.value.fieldPath
  index_config {}
  dynamic "ttl_config" {
    for_each = try(each.value.ttl, false) ? [true] : []
    content {}
  }
}

resource "google_firebaserules_ruleset" "firestore" {
  source {
    files {
      name    = "firestore.rules"
      content = file("${path.module}/../firestore.rules")
    }
  }
  depends_on = [google_project_service.api, google_firestore_database.default]

  lifecycle {
    create_before_destroy = true
  }
}

resource "google_firebaserules_release" "firestore" {
  name         = "cloud.firestore"
  ruleset_name = "projects/${var.project}/rulesets/${google_firebaserules_ruleset.firestore.name}"
}
