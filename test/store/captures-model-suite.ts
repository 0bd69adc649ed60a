import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Attempt, CaptureTask } from '../../src/store/captures.ts'
import { rounds } from '../support/runner/rounds.ts'
import { answersAbout, FAILURE, newRequest, PICTURE } from '../support/store/captures.ts'
import { makeProject } from '../support/store/results.ts'
import { CapturesModel } from './captures-model.ts'
import { capturesOf, NOW } from './open-captures.ts'
import type { StoreDriver } from './store-driver.ts'

/** Compares the store with a model, for any sequence of operations. */
export function capturesModelSuite(name: string, driver: StoreDriver): void {
  const { open } = capturesOf(driver)

  describe(`${name}: against a model`, () => {
    const small = fc.nat({ max: 5 })
    const operation = fc.oneof(
      { weight: 2, arbitrary: fc.tuple(fc.constant('accept' as const), small, small) },
      { weight: 4, arbitrary: fc.tuple(fc.constant('takeNext' as const), small, small) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('takeIdle' as const), small, small) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('takeSuspect' as const), small, small) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('renew' as const), small, small) },
      { weight: 4, arbitrary: fc.tuple(fc.constant('finish' as const), small, small) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('putBack' as const), small, small) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('wait' as const), small, small) },
    )

    test('property: any sequence of operations matches the model', { timeout: rounds(180_000) }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 50 }), async (operations) => {
          const { store, captures, projectId } = await open()
          const projects = [projectId, await makeProject(store), await makeProject(store)]
          const model = new CapturesModel()
          const attempts: Attempt[] = []
          // At most the sixth from the end: old enough to have been replaced, new enough to matter.
          const attemptAt = (back: number) => attempts.at(-1 - back)
          let now = NOW
          const agree = (actual: unknown, expected: unknown) => expect(actual).toEqual(expected)
          const begin = (task: CaptureTask | undefined, expected: ReturnType<CapturesModel['next']>) => {
            agree(task && [task.rootId, task.position], expected && [expected.rootId, expected.position])
            if (!task || !expected) return
            model.begin(expected, task.uuid, { now, leaseMs: 20_000 })
            agree([task.attempts, task.deaths], [expected.attempts, expected.deaths])
            attempts.push(task)
          }
          for (const [what, one, other] of operations) {
            // No two requests have the same time, which would leave their order open.
            now += 1
            const attempt = attemptAt(one)
            if (what === 'accept') {
              const idempotencyKey = other < 3 ? undefined : `${other}`
              const digest = `${one % 2}`
              const project = projects[(one + other) % 3] as string
              const request = newRequest(project, { pages: one + 1, created: now, idempotencyKey, digest })
              const sure = other === 5 ? { ...request, digest: `${one}` } : request
              const answer = await captures.accept(sure).catch((error) => error.code)
              agree(answer, model.accept(sure))
            } else if (what === 'takeNext') {
              begin(await captures.takeNext({ now, leaseMs: 20_000 }), model.next(now))
            } else if (what === 'takeIdle') {
              const expected = model.next(now, { idleOnly: true })
              begin(await captures.takeNext({ now, leaseMs: 20_000, idleOnly: true }), expected)
            } else if (what === 'takeSuspect') {
              const expected = model.next(now, { suspects: true })
              begin(await captures.takeNext({ now, leaseMs: 20_000, suspects: true }), expected)
            } else if (what === 'wait') {
              now += other * 5_000
            } else if (attempt) {
              const current = model.of(attempt.uuid)
              if (what === 'renew') {
                agree(await captures.renew(attempt, now + 30_000), current !== undefined)
                if (current) current.lease = now + 30_000
              } else if (what === 'finish') {
                const outcome = other < 2 ? FAILURE : PICTURE
                agree(await captures.finish(attempt, outcome, now), current !== undefined)
                if (current) model.end(current, other < 2 ? 'failed' : 'done', now)
              } else {
                const options = { now, due: now + other * 1_000, counts: other % 2 === 0, died: other > 2 }
                agree(await captures.putBack(attempt, options), current !== undefined)
                if (current) model.putBack(current, options)
              }
            }
          }
          for (const request of model.requests) {
            const pages = model.pagesOf(request.rootId)
            const done = pages.filter(({ state }) => state === 'done')
            const { root, jobs, progress, versions } = await answersAbout(
              store,
              request.projectId,
              request.rootId,
            )
            agree(root?.jobCount, done.length)
            agree(
              jobs.map(({ position, uuid }) => [position, uuid]),
              done.map(({ position, attempt }) => [position, attempt]),
            )
            agree(versions, [request.version])
            agree(progress?.version, request.version)
            agree(
              progress?.captures.map((page) => [page.state, page.attempts, page.changed]),
              pages.map((page) => [page.state, page.attempts, page.changed]),
            )
          }
          agree(
            await captures.anyUnfinished(),
            model.captures.some((page) => !model.isFinished(page)),
          )
          agree(await captures.findBacklog(), model.backlog())
        }),
        { numRuns: rounds(12) },
      )
    })
  })
}
