/** A form is never filled in with secrets. */
export function SecretsNotice({ areKept }: { areKept: boolean }) {
  return (
    <p class="notice">
      User names, passwords, and the values of headers and cookies are not{' '}
      {areKept ? 'shown. Fields that stay empty keep them.' : 'kept. Type them again.'}
    </p>
  )
}
