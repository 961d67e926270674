# An example of the variables of a deployment. `terraform.tfvars`, which is not committed, has the operator's own.
project = "miramundo-example"
region  = "southamerica-east1"

# Each a name of its own: cookies and pages of one must not reach the others.
hosts = {
  base   = "tv.example.org"
  hop    = "hop.tv.example.org"
  legacy = "plain.tv.example.org"
}

# Settings of .env.example that are no secrets. MAIL_SMTP and MAIL_FROM are required.
settings = {
  CONTACT_EMAIL = "operator@example.org"
  MAIL_FROM     = "tv@example.org"
  MAIL_SMTP     = "smtp.example.org:465"
  MAIL_USER     = "tv@example.org"
}
optional_secrets = ["MAIL_PASSWORD"]

alert_email = "operator@example.org"
budget = {
  billing_account = "000000-000000-000000"
  amount          = 100
}
