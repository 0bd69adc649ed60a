import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { MARK_NAMES } from '../../../src/contract/seen.ts'
import { ROOT_STATES } from '../../../src/contract/states.ts'
import { type Filters, startOf } from '../filters.ts'
import { explainMark, MARK_WORDS } from '../marks.ts'
import { go } from '../navigation.ts'
import { client } from '../session.ts'
import { useAnswer } from '../use-answer.ts'
import { shortDay } from '../words.ts'
import { Choice } from './choice.tsx'
import { STATE_WORDS } from './state.tsx'

/** A button that opens the filters. Active filters are beside it, each with a button that removes it. */
export function Filter({
  projectId,
  filters,
  toList,
}: {
  projectId: string
  filters: Filters
  toList: (filters: Filters) => string
}) {
  const { state, mark, from, to } = filters
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const narrow = (change: Partial<Filters>, options = {}) => go(toList({ ...filters, ...change }), options)
  return (
    <>
      <button
        ref={button}
        type="button"
        class="opens"
        aria-expanded={open}
        aria-controls="filters"
        onClick={() => setOpen(!open)}
      >
        Filter
      </button>
      {narrowedBy(filters, useTemplateName(projectId, filters.template)).map(({ words, name, without }) => (
        <a
          key={name}
          class="tag chosen"
          dir="auto"
          href={toList({ ...filters, ...without })}
          aria-label={`Remove the filter ${name}`}
          // The button disappears when it is pressed: move the focus first.
          onClick={() => button.current?.focus()}
        >
          {words}
        </a>
      ))}
      <div id="filters" class="filters" hidden={!open}>
        <Labelled label="State">
          <fieldset class="choice several">
            <legend class="unseen">State</legend>
            {ROOT_STATES.map((each) => (
              <label key={each}>
                <input
                  type="checkbox"
                  checked={state.includes(each)}
                  onChange={({ currentTarget: { checked } }) =>
                    narrow({
                      state: ROOT_STATES.filter((one) => (one === each ? checked : state.includes(one))),
                    })
                  }
                />
                <span>{STATE_WORDS[each]}</span>
              </label>
            ))}
          </fieldset>
        </Labelled>
        <Labelled label="With a page that is">
          <Choice
            legend="With a page that is"
            choices={[['', 'any'], ...MARK_NAMES.map((each) => [each, PAGE_WORDS[each]] as const)]}
            chosen={mark}
            onChoose={(each) => narrow({ mark: each })}
          />
          {mark !== '' && <p class="soft">{explainMark(mark)}</p>}
        </Labelled>
        <div class="days">
          <Day label="From" value={from} onDay={(day) => narrow({ from: day }, { replace: true })} />
          <Day label="To" value={to} onDay={(day) => narrow({ to: day }, { replace: true })} />
        </div>
      </div>
    </>
  )
}

const PAGE_WORDS = { ...MARK_WORDS, error: 'an error' }

/** Each active filter, and the filters without it. */
function narrowedBy({ tag, template, state, mark, from, to }: Filters, templateName: string) {
  const days = [
    ['from', from],
    ['to', to],
  ] as const
  return [
    ...(tag === '' ? [] : [{ words: tag, name: `tag ${tag}`, without: { tag: '' } }]),
    ...(template === '' ? [] : [{ words: templateName, name: templateName, without: { template: '' } }]),
    ...state.map((each) => ({
      words: STATE_WORDS[each],
      name: `state ${STATE_WORDS[each]}`,
      without: { state: state.filter((other) => other !== each) },
    })),
    ...(mark === ''
      ? []
      : [{ words: MARK_WORDS[mark], name: `mark ${MARK_WORDS[mark]}`, without: { mark: '' as const } }]),
    ...days.flatMap(([end, day]) => {
      const words = `${end} ${shortDay(startOf(day) ?? 0)}`
      return day === '' ? [] : [{ words, name: `days ${words}`, without: { [end]: '' } }]
    }),
  ]
}

function useTemplateName(projectId: string, templateId: string): string {
  const { value } = useAnswer(templateId === '' ? '' : `template ${projectId} ${templateId}`, (signal) =>
    client.getTemplate(projectId, templateId, { signal }),
  )
  return value ? `template ${value.name}` : 'template'
}

function Labelled({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <span class="label" aria-hidden="true">
        {label}
      </span>
      {children}
    </div>
  )
}

/** A day is reported only when it is complete: while typing 2026, the year is 2 first. */
function Day({ label, value, onDay }: { label: string; value: string; onDay: (day: string) => void }) {
  const input = useRef<HTMLInputElement>(null)
  // Follows the address, not what is being typed.
  useEffect(() => {
    if (input.current && input.current.value !== value) input.current.value = value
  }, [value])
  return (
    <label>
      <span class="label">{label}</span>
      <input
        ref={input}
        type="date"
        min="1971-01-01"
        max="9999-12-31"
        defaultValue={value}
        onChange={({ currentTarget: { value: day } }) => {
          if (day !== value && (day === '' || startOf(day) !== undefined)) onDay(day)
        }}
      />
    </label>
  )
}
