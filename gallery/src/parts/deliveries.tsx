import { useEffect, useState } from 'preact/hooks'
import { DELIVERY_STATES, type DeliveryState } from '../../../src/contract/states.ts'
import type { Delivery } from '../../../src/contract/webhooks.ts'
import { toRoot } from '../addresses.ts'
import { atATime, client } from '../session.ts'
import { useAct } from '../use-act.ts'
import { useListing } from '../use-listing.ts'
import { useNow } from '../use-now.ts'
import { attemptsOf, DELIVERY_LOOKS, DELIVERY_WORDS, eventWords } from '../webhook-words.ts'
import { moment } from '../words.ts'
import { Choice } from './choice.tsx'
import { Problem } from './problem.tsx'
import { ReplaySince } from './replay-since.tsx'
import { Waiting } from './waiting.tsx'

const PAGE = 30
/** How often the list is read again: while something is pending, and otherwise. */
const LOOK_MS = { pending: 2_000, calm: 20_000 }

const STATES = [
  ['', 'All'],
  ...DELIVERY_STATES.map((state) => [state, DELIVERY_WORDS[state]] as const),
] as const

/** The deliveries of a webhook, newest first. */
export function Deliveries({
  projectId,
  webhookId,
  acts,
  onLook,
}: {
  projectId: string
  webhookId: string
  /** How often something was done with the webhook. The list is read again each time. */
  acts: number
  /** The list is read again. */
  onLook: () => void
}) {
  const now = useNow()
  const [state, setState] = useState<DeliveryState | ''>('')
  const deliveries = useListing(
    `deliveries ${webhookId} ${state}`,
    () =>
      client.listDeliveries(projectId, webhookId, { limit: atATime(PAGE), ...(state !== '' && { state }) }),
    () => undefined,
  )
  const { items } = deliveries
  useEffect(() => {
    // Only reading on shows that a short list has no second list page.
    if (!deliveries.complete && items.length < atATime(PAGE)) deliveries.more()
  }, [deliveries, items])
  useEffect(() => {
    if (acts > 0) void deliveries.renew()
  }, [deliveries, acts])
  const isPending = items.some((each) => each.state === 'pending')
  useEffect(() => {
    const look = () => {
      onLook()
      void deliveries.renew()
    }
    const timer = setTimeout(look, isPending ? LOOK_MS.pending : LOOK_MS.calm)
    return () => clearTimeout(timer)
  }, [deliveries, items, deliveries.failure])
  return (
    <section class="deliveries" aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <div class="tools">
        <Choice legend="Which deliveries" choices={STATES} chosen={state} onChoose={setState} />
        <ReplaySince projectId={projectId} webhookId={webhookId} onReplayed={() => deliveries.renew()} />
      </div>
      <ul>
        {items.map((delivery) => (
          <DeliveryRow
            key={delivery.deliveryId}
            projectId={projectId}
            webhookId={webhookId}
            delivery={delivery}
            now={now}
            onReplayed={() => deliveries.renew()}
          />
        ))}
      </ul>
      {deliveries.failure !== undefined && (
        <Problem failure={deliveries.failure} retry={() => deliveries.retry()} />
      )}
      {deliveries.growing && <Waiting />}
      {!deliveries.complete && items.length >= atATime(PAGE) && !deliveries.reading && (
        <button type="button" onClick={() => deliveries.more()}>
          Show more
        </button>
      )}
      {deliveries.complete && items.length === 0 && (
        <p class="empty">
          {state === ''
            ? 'Nothing has been delivered yet. Send a test.'
            : `No deliveries are ${DELIVERY_WORDS[state]}.`}
        </p>
      )}
    </section>
  )
}

function DeliveryRow({
  projectId,
  webhookId,
  delivery,
  now,
  onReplayed,
}: {
  projectId: string
  webhookId: string
  delivery: Delivery
  now: number
  onReplayed: () => Promise<void>
}) {
  const { deliveryId, rootId, state, created, last } = delivery
  const { busy, said, act } = useAct()
  const replay = () =>
    act(async () => {
      await client.replayDelivery(projectId, webhookId, deliveryId)
      await onReplayed()
    })
  return (
    <li class="delivery">
      <span class={`state ${DELIVERY_LOOKS[state]}`}>{DELIVERY_WORDS[state]}</span>
      <div>
        <p>
          {eventWords(delivery)}
          {rootId !== undefined && (
            <>
              {' · '}
              <a href={toRoot(projectId, rootId)}>the request</a>
            </>
          )}
        </p>
        <p class="soft">
          {moment(created)} · {attemptsOf(delivery, now)}
        </p>
        {last && <LastAnswer last={last} />}
        <p class="soft said" role="status">
          {said}
        </p>
      </div>
      {state !== 'pending' && (
        <button type="button" class="add" aria-disabled={busy} onClick={replay}>
          Send again
        </button>
      )}
    </li>
  )
}

function LastAnswer({ last: { status, answer, problem } }: { last: NonNullable<Delivery['last']> }) {
  return (
    <p class="answer">
      {status !== undefined && <span>HTTP {status}</span>}
      {problem !== undefined && <span class="wrong">{problem}</span>}
      {answer && <code dir="auto">{answer}</code>}
    </p>
  )
}
