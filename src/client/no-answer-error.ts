/** Nothing came, or it broke off. Whether the server did what it was asked is not known. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'

  constructor(server: string, cause: unknown) {
    super(`${server || 'the server'} does not answer: ${reasonOf(cause)}`, { cause })
  }
}

/** Node hides it one level down, and says nothing there where it tried several addresses. */
function reasonOf(thrown: unknown): string {
  const { message, cause } = (thrown ?? {}) as Partial<Error>
  const { message: inner, code } = (cause ?? {}) as { message?: string; code?: string }
  return inner || code || message || String(thrown)
}
