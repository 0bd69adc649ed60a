import { randomUUID } from 'node:crypto'
import type { NewRoot } from '../../src/store/store.ts'
import { newJob } from '../support/store/results.ts'

export function newRoot(projectId: string, more: Partial<NewRoot> = {}): NewRoot {
  return {
    projectId,
    rootId: randomUUID(),
    created: 1_605_813_006_223,
    digest: 'digest',
    jobs: [newJob({ name: 'one' }), newJob({ name: 'two' })],
    ...more,
  }
}
