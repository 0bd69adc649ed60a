import { useEffect, useState } from 'preact/hooks'
import { ProblemError } from '../../../src/client/client.ts'
import { Choice } from '../parts/choice.tsx'
import { NextTimes } from '../parts/next-times.tsx'
import { client } from '../session.ts'
import { TextInput } from './inputs.tsx'
import { PLAN_FIELDS, type Plan, timesOf } from './schedule-plan.ts'
import { type PlacedMistakes, placeAt } from './use-sending.ts'

/** Wait until the user stops typing. */
const PAUSE_MS = 300

const EXAMPLES = [
  ['0 2 * * *', 'every night at 2'],
  ['0 * * * *', 'every hour'],
  ['0 9 * * MON-FRI', 'on weekdays at 9'],
  ['0 6 1 * *', 'on the first of the month'],
] as const

/** When a schedule runs. The service computes the next times, so that people see the effect of what they typed. */
export function WhenFields({
  projectId,
  plan,
  change,
  mistakes,
}: {
  projectId: string
  plan: Plan
  change: (fields: Partial<Plan>) => void
  mistakes: PlacedMistakes
}) {
  const { next, wrong } = usePreview(projectId, plan)
  const at = (place: string) => wrong[place] ?? mistakes[place]
  return (
    <fieldset class="group">
      <legend>When</legend>
      <div class="field">
        <Choice
          legend="How times are given"
          choices={[
            ['cron', 'At certain times'],
            ['every', 'At an interval'],
          ]}
          chosen={plan.by}
          onChoose={(by) => change({ by })}
        />
      </div>
      {plan.by === 'cron' ? (
        <>
          <div class="pair">
            <TextInput
              name="cron"
              label="Cron expression"
              value={plan.cron}
              onText={(cron) => change({ cron })}
              mistakes={at('cron')}
            />
            <TextInput
              name="zone"
              label="Time zone"
              list="zones"
              value={plan.zone}
              onText={(zone) => change({ zone })}
              mistakes={at('zone')}
            >
              <datalist id="zones">
                {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
                  <option key={zone} value={zone} />
                ))}
              </datalist>
            </TextInput>
          </div>
          <p class="soft small">Minute, hour, day of the month, month, day of the week. For example:</p>
          <p class="examples">
            {EXAMPLES.map(([cron, words]) => (
              <button key={cron} type="button" class="add" onClick={() => change({ cron })}>
                {words}
              </button>
            ))}
          </p>
        </>
      ) : (
        <TextInput
          name="every"
          label="Every"
          hint="a number with s, m, h or d"
          placeholder="6h"
          value={plan.every}
          onText={(every) => change({ every })}
          mistakes={at('every')}
        />
      )}
      <div class="field" role="status">
        <p class="label">{next.length > 0 ? 'Next runs, in your time zone' : 'The next runs appear here'}</p>
        <NextTimes times={next} timezone={plan.by === 'cron' ? plan.zone.trim() : undefined} />
      </div>
    </fieldset>
  )
}

/** The next times of the typed schedule, or its mistakes. */
function usePreview(projectId: string, plan: Plan): { next: readonly number[]; wrong: PlacedMistakes } {
  const [preview, setPreview] = useState<{ next: readonly number[]; wrong: PlacedMistakes }>(NOTHING)
  const times = JSON.stringify(timesOf(plan))
  useEffect(() => {
    const left = new AbortController()
    const ask = async () => {
      const { next } = await client.previewSchedule(projectId, JSON.parse(times), left)
      setPreview({ next, wrong: {} })
    }
    const timer = setTimeout(() => {
      ask().catch((failure) => {
        if (left.signal.aborted) return
        const told = failure instanceof ProblemError ? failure.errors : []
        setPreview({ next: [], wrong: placeAt(PLAN_FIELDS, told) })
      })
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      left.abort()
    }
  }, [projectId, times])
  return preview
}

const NOTHING = { next: [], wrong: {} }
