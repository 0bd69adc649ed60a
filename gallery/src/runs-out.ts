/** When a signed address expires, in Unix milliseconds. Undefined if it does not say. */
export function runsOut(address: string): number | undefined {
  // Not `URL.parse`: Safari has it only since version 18.
  const parameters = URL.canParse(address) ? new URL(address).searchParams : undefined
  const expires = Number(parameters?.get('expires'))
  if (expires > 0) return expires * 1_000
  const date = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(parameters?.get('X-Amz-Date') ?? '')
  if (!date) return undefined
  const [year = 0, month = 1, ...rest] = date.slice(1).map(Number)
  return Date.UTC(year, month - 1, ...rest) + Number(parameters?.get('X-Amz-Expires')) * 1_000
}
