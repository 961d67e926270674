variable "project" {
  description = "Id of the project."
  type        = string
}

variable "region" {
  description = "Region of the services, the scheduler and the registry of images."
  type        = string
}

variable "firestore_location" {
  description = "Location of the database: a region, or a multi-region at twice the price. Null: the region. It can never be changed."
  type        = string
  default     = null
}

variable "hosts" {
  description = "Names of the hosts: of the service, of the stream hop, and of the player of plain HTTP media, which has no certificate."
  type        = object({ base = string, hop = string, legacy = string })

  validation {
    condition     = alltrue([for h in values(var.hosts) : can(regex("^([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$", h))])
    error_message = "Each host must be a name in lower case, without a scheme, a port or a path."
  }
  validation {
    condition     = length(distinct(values(var.hosts))) == 3
    error_message = "The three hosts must differ: each is an origin of its own for browsers."
  }
}

variable "images" {
  description = "Addresses of the images by digest; infra/deploy gives them. Null leaves out, or removes, the services and what calls them, so there is no default."
  type        = object({ functions = string, hop = string, chatroom = string })

  validation {
    condition     = var.images == null ? true : alltrue([for image in values(var.images) : can(regex("@sha256:[0-9a-f]{64}$", image))])
    error_message = "Each image must be named by its digest (…@sha256:…): a tag could mean another image at the next start of an instance."
  }
}

variable "build" {
  description = "Short id of the commit that the images were built from, as health shows it; infra/deploy gives it."
  type        = string
}

variable "grouping" {
  description = "each: a service for each function. five: the functions share five services, for small budgets."
  type        = string
  default     = "each"

  validation {
    condition     = contains(["each", "five"], var.grouping)
    error_message = "The grouping must be each or five."
  }
}

variable "settings" {
  description = "Settings that are no secrets, by their names in .env.example. Each service gets those that it reads."
  type        = map(string)

  validation {
    condition     = length(setsubtract(keys(var.settings), local.settings)) == 0
    error_message = "Not settings of a deployed process, or set by this configuration: ${join(", ", setsubtract(keys(var.settings), local.settings))}."
  }
  validation {
    condition     = length(setsubtract(local.required_settings, keys(var.settings))) == 0
    error_message = "Missing, and a service cannot start without: ${join(", ", setsubtract(local.required_settings, keys(var.settings)))}."
  }
  validation {
    # No service reads all of the first, so that none can refuse a half of them.
    condition = alltrue([
      for names in local.together :
      contains([0, length(names)], length(setintersection(names, setunion(keys(var.settings), var.optional_secrets))))
    ])
    error_message = "Set all or none, among the settings or the optional secrets: ${join("; ", [for names in local.together : join(", ", names)])}."
  }
}

variable "optional_secrets" {
  description = "Secrets that services read and can do without, and that are to exist, such as MAIL_PASSWORD."
  type        = set(string)
  default     = []

  validation {
    condition     = length(setsubtract(var.optional_secrets, local.readable_secrets)) == 0
    error_message = "No service reads ${join(", ", setsubtract(var.optional_secrets, local.readable_secrets))}."
  }
}

variable "secret_versions" {
  description = "Versions of secrets, by setting. Others are those that are the latest when an instance starts."
  type        = map(string)
  default     = {}
}

variable "instances" {
  description = "Least and most instances of services, in place of those in sizing.json, by the service's name."
  type        = map(object({ min = optional(number), max = optional(number) }))
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.instances), keys(local.services))) == 0
    error_message = "Not services of this grouping: ${join(", ", setsubtract(keys(var.instances), keys(local.services)))}."
  }
}

variable "await_catalog" {
  description = "Requests go to an instance once it shows a catalog. False for the first deployment, before there is one."
  type        = bool
  default     = true
}

variable "armor" {
  description = "Requests a minute that an address may make before the load balancer refuses them, to the hop and to everything else. Null: no such limit, and no Cloud Armor, which costs more per request than the service."
  type        = object({ hop = number, others = number })
  default     = { hop = 3000, others = 1200 }
}

variable "alert_email" {
  description = "E-mail address at which alerts arrive. Null: no alerts."
  type        = string
  default     = null
}

variable "budget" {
  description = "Billing account and monthly amount of the budget. Null: no budget. A budget warns; it stops nothing."
  type        = object({ billing_account = string, amount = number, currency = optional(string, "USD") })
  default     = null
}
