output "addresses" {
  description = "Addresses that the names of the three hosts must lead to, as A and AAAA records."
  value       = { for version, a in google_compute_global_address.public : version => a.address }
}

output "base_url" {
  description = "Address of the service."
  value       = local.base_url
}

output "hop_url" {
  description = "Address of the stream hop."
  value       = local.hop_url
}

output "legacy_url" {
  description = "Address of the player of plain HTTP media."
  value       = local.legacy_url
}

output "secrets" {
  description = "Secrets that need a version before the services start."
  value       = sort(local.secrets)
}

output "release" {
  description = "What is deployed, in the form of the variables images and build."
  value       = { images = var.images, build = var.build }
}

output "registry" {
  description = "Where images are pushed to."
  value       = "${var.region}-docker.pkg.dev/${var.project}/${google_artifact_registry_repository.images.repository_id}"
}
