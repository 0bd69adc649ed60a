/** No answer came, or it broke off. It is not known whether the server did what it was asked. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'

  constructor(server: string, cause: unknown) {
    super(`${server || 'the server'} does not answer: ${reasonOf(cause)}`, { cause })
  }
}

/** Node puts the reason into `cause`, and leaves its message empty if it tried several addresses. */
function reasonOf(thrown: unknown): string {
  const { message, cause } = (thrown ?? {}) as Partial<Error>
  const { message: inner, code } = (cause ?? {}) as { message?: string; code?: string }
  return inner || code || message || String(thrown)
}
