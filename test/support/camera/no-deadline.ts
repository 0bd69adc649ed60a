import { Deadline } from '../../../src/camera/deadline.ts'

/** One that is never over. */
export function noDeadline(): Deadline {
  const deadline = new Deadline(0, () => {})
  deadline.clear()
  return deadline
}
