import { NoAnswerError, ProblemError } from '../../../src/client/client.ts'
import { ASKS_FOR_KEY, signOut } from '../session.ts'

/** A problem, and how to solve it. */
export function Problem({ failure, retry }: { failure: unknown; retry?: () => void }) {
  return (
    <div class="problem" role="alert">
      <p>{explain(failure)}</p>
      {failure instanceof ProblemError && failure.requestId && (
        <p class="soft">Request {failure.requestId}</p>
      )}
      {isRefused(failure) ? (
        <button type="button" onClick={() => void signOut()}>
          Enter another key
        </button>
      ) : (
        retry && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )
      )}
    </div>
  )
}

function isRefused(failure: unknown): boolean {
  return ASKS_FOR_KEY && failure instanceof ProblemError && failure.status === 401
}

export function explain(failure: unknown): string {
  if (failure instanceof NoAnswerError) return 'The service does not answer. Is it running?'
  if (failure instanceof ProblemError) {
    if (failure.code === 'not_found') {
      return ASKS_FOR_KEY ? 'This does not exist, or your key does not open it.' : 'This does not exist.'
    }
    return failure.detail ?? failure.message
  }
  return 'Something went wrong on this page. Reload it.'
}
