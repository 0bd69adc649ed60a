import { Deadline } from '../../../src/camera/deadline.ts'

/** A deadline that never ends. */
export function noDeadline(): Deadline {
  const deadline = new Deadline(0, () => {})
  deadline.clear()
  return deadline
}
