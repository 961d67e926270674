# The jobs of the table on their schedules. Jobs that run once an hour or less begin at minutes of their own.
locals {
  job_minutes = { for i, job in sort(keys(local.schedules)) : job => (7 * i) % 60 }
  crons = {
    for job, every in local.schedules : job => (
      every == "1m" ? "* * * * *" :
      endswith(every, "m") ? "*/${trimsuffix(every, "m")} * * * *" :
      every == "1h" ? "${local.job_minutes[job]} * * * *" :
      every == "24h" ? "${local.job_minutes[job]} 4 * * *" :
      "${local.job_minutes[job]} */${trimsuffix(every, "h")} * * *"
    )
  }
}

resource "google_cloud_scheduler_job" "job" {
  for_each = { for job, every in local.schedules : job => every if var.images != null }

  name             = each.key
  region           = var.region
  schedule         = local.crons[each.key]
  time_zone        = "Etc/UTC"
  attempt_deadline = "1800s" # the longest that there is; the job of the catalog takes minutes
  http_target {
    http_method = "POST"
    uri         = "${local.own.JOBS_AUDIENCE}/jobs/${each.key}"
    oidc_token {
      service_account_email = google_service_account.scheduler.email
      audience              = local.own.JOBS_AUDIENCE
    }
  }
  retry_config {
    retry_count          = 1 # the next turn comes soon; a second attempt is for an instance that was replaced
    min_backoff_duration = "30s"
  }

  lifecycle {
    precondition {
      # Cron repeats within an hour or a day: other intervals would be uneven.
      condition     = can(regex("^([1-9][0-9]*)(m|h)$", each.value)) && (endswith(each.value, "m") ? 60 : 24) % tonumber(regex("^[0-9]+", each.value)) == 0
      error_message = "The job ${each.key} runs every ${each.value}, which is no part of an hour or a day."
    }
  }
  depends_on = [google_project_service.api]
}
