/** The API, as the guest that a test makes: what a page is to show is put there first. */

/** A guest of a stack, who has nothing yet. */
export class Guest {
  static async make(base) {
    const guest = new Guest()
    guest.base = base
    guest.token = (await guest.call('POST', '/api/guest', {})).token
    return guest
  }

  /** Calls the API, and returns what it answers. Failures are errors. */
  async call(method, path, body) {
    const headers = { 'Content-Type': 'application/json', ...(this.token && { 'X-Guest-Token': this.token }) }
    const response = await fetch(new URL(path, this.base), { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }

  /** Makes a browser's context this guest's. */
  become(context) {
    return context.addInitScript(token => { if (location.origin !== 'null') localStorage.setItem('mm-guest', token) }, this.token) // a blank page keeps nothing
  }
}
