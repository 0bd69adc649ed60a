import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { type Config, ownHostsOf } from '../config/config.ts'
import { createKeyRing } from '../secrets/key-ring.ts'
import { DeliveryFigures } from '../webhooks/figures.ts'
import { type Delivering, type DeliveringOptions, openDelivering } from '../webhooks/open-delivering.ts'
import type { Send } from '../webhooks/send.ts'
import { Webhooks } from '../webhooks/webhooks.ts'
import type { Storage } from './storage.ts'

/** Webhooks and their deliveries. */
export interface Notifications {
  readonly webhooks: Webhooks
  /** The deliveries of this process, in numbers. */
  readonly figures: DeliveryFigures
  /** Call it after an event in this process. */
  wake(): void
  /** `url`: the address at which the service listens, for links if there is no PUBLIC_URL. */
  begin(url: string): void
  close(): Promise<void>
}

/** For tests: shorter times, and another way to the network. */
export type NotificationTimes = Partial<
  Pick<DeliveringOptions, 'pauses' | 'leaseMs' | 'lookMs' | 'offAfterMs' | 'send'>
>

export function openNotifications(
  config: Config,
  storage: Storage,
  {
    log,
    clock,
    ...times
  }: NotificationTimes & Pick<DeliveringOptions, 'inTurn'> & { log: Logger; clock: () => number },
): Notifications {
  const { store, images } = storage
  const figures = new DeliveryFigures()
  let delivering: Delivering | undefined
  const wake = () => delivering?.wake()
  return {
    webhooks: createWebhooks(config, storage, { clock, wake }),
    figures,
    wake,
    begin(url) {
      delivering = openDelivering({
        ...{ store, images, figures, log, clock, explainTo: config.explainTo },
        origin: () => config.publicUrl ?? url,
        ring: createKeyRing(storage.secretKeys),
        userAgent: `proofsheet/${ownVersion()}`,
        send: whenNeeded(config),
        ...times,
      })
    },
    close: async () => await delivering?.close(),
  }
}

export function createWebhooks(
  { webhooks: { allow, most } }: Config,
  { store, secretKeys }: Storage,
  { clock, wake = () => {} }: { clock: () => number; wake?: () => void },
): Webhooks {
  return new Webhooks(store, { ring: createKeyRing(secretKeys), allow, most, clock, wake })
}

/** Loads the way to the network with the first delivery. */
function whenNeeded(config: Config): Send {
  let opened: Promise<Send> | undefined
  const open = async () => {
    const [{ createWayOut }, { createSend }] = await Promise.all([
      import('../egress/guard.ts'),
      import('../webhooks/send.ts'),
    ])
    const { allow } = config.webhooks
    const reach = createWayOut({ allow, deny: config.capture.deny, ownHosts: ownHostsOf(config) })
    return createSend({ reach })
  }
  return async (post, signal) => {
    opened ??= open()
    return await (await opened)(post, signal)
  }
}

function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return JSON.parse(text).version
}
