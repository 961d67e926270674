terraform {
  required_version = ">= 1.11"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 6.50"
    }
  }

  # Which bucket is said at `terraform init -backend-config=bucket=…`. The state holds the token of the push
  # subscriptions: nobody but those who deploy may read it.
  backend "gcs" {
    prefix = "miramundo"
  }
}

provider "google" {
  project               = var.project
  region                = var.region
  billing_project       = var.project
  user_project_override = true # which the API of budgets asks for
}
