# What is computed from the table of functions, so that no list is said twice. functions/infra_test.go writes the first three
# files, and compares sizing.json with the table.
locals {
  table     = { for p in jsondecode(file("${path.module}/functions.json")) : p.name => p }
  routing   = jsondecode(file("${path.module}/routes.json"))
  together  = jsondecode(file("${path.module}/settings.json")).together
  sizing    = jsondecode(file("${path.module}/sizing.json"))
  documents = jsondecode(file("${path.module}/../firestore.indexes.json"))

  functions  = sort([for name, p in local.table : name if p.kind == "function"])
  containers = sort([for name, p in local.table : name if p.kind == "container"])

  # The processes of each service.
  layouts = {
    each = { for name in local.functions : name => [name] }
    five = { for name, group in local.sizing.five : name => group.functions }
  }
  services = {
    for name, processes in merge(local.layouts[var.grouping], { for name in local.containers : name => [name] }) : name => {
      processes = processes
      container = contains(local.containers, name)
      size      = merge(local.sizing[var.grouping], local.sizing.containers)[name]
      private   = anytrue([for p in processes : local.table[p].private])
      cached    = anytrue([for p in processes : local.table[p].cached])
      documents = anytrue([for p in processes : contains(local.table[p].opens, "documents")])
      publishes = toset(flatten([for p in processes : concat(try(local.table[p].publishes, []), try(local.table[p].rejects, []))]))
      replays   = toset(flatten([for p in processes : try(local.table[p].replays, [])]))
      secrets   = setintersection(toset(flatten([for p in processes : try(local.table[p].secrets, [])])), local.secrets)
      settings  = toset(flatten([for p in processes : local.table[p].settings]))
    }
  }
  running = { for name, s in local.services : name => s if var.images != null }
  public  = { for name, s in local.running : name => s if !s.private }

  # The service of each process.
  service_of = merge([for name, s in local.services : { for p in s.processes : p => name }]...)

  # The addresses of services, which the platform makes from their names.
  urls = { for name, s in local.services : name => "https://${name}-${data.google_project.this.number}.${var.region}.run.app" }

  # Secrets exist when a process cannot start without them, or when the operator says so. Each is given to every process
  # that reads it.
  readable_secrets = toset(flatten([for p in local.table : try(p.secrets, [])]))
  required         = toset(flatten([for p in local.table : try(p.requires, [])]))
  secrets          = setunion(setintersection(local.required, local.readable_secrets), var.optional_secrets)

  # Settings that this configuration knows itself, and those that the operator may set.
  own = {
    JOBS_AUDIENCE = local.urls[local.service_of["jobs"]]
    JOBS_CALLER   = google_service_account.scheduler.email
  }
  settings          = setsubtract(toset(flatten([for p in local.table : p.settings])), ["JOBS_AUDIENCE", "JOBS_CALLER"])
  required_settings = setintersection(setsubtract(local.required, local.secrets), local.settings)

  # The headers in which the load balancer gives the address and the country of a caller, in place of whatever the caller sent.
  edge = { address = "X-Caller-Address", country = "X-Caller-Country" }

  base_url   = "https://${var.hosts.base}"
  hop_url    = "https://${var.hosts.hop}"
  legacy_url = "http://${var.hosts.legacy}"

  topics        = toset(flatten([for p in local.table : try(p.receives, [])]))
  subscriptions = merge([for p in local.table : { for topic in try(p.receives, []) : topic => { process = p.name, delivery = p.delivery } }]...)
  schedules     = merge([for p in local.table : try(p.schedules, {})]...)
}

data "google_project" "this" {
  project_id = var.project
}
