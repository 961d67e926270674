# The secrets without their values, which the operator adds as versions (docs/deploying.md). Versions are never destroyed by
# this configuration: guest tokens do not expire, and without the key that signed them their libraries are lost (docs/keys.md).
resource "google_secret_manager_secret" "setting" {
  for_each  = local.secrets
  secret_id = each.key
  replication {
    auto {}
  }
  depends_on = [google_project_service.api]

  lifecycle {
    prevent_destroy = true
  }
}

# Part of the address that events are pushed to. It has a version before there are images, and is named here, not by its
# resource, so that it can be read when a change is planned.
data "google_secret_manager_secret_version" "events_token" {
  count   = var.images == null ? 0 : 1
  secret  = "EVENTS_TOKEN"
  version = lookup(var.secret_versions, "EVENTS_TOKEN", "latest")
}
