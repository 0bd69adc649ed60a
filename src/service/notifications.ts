import { type Config, ownHostsOf, ownVersion } from '../config/config.ts'
import { createKeyRing } from '../secrets/key-ring.ts'
import { DeliveryFigures } from '../webhooks/attempt.ts'
import { type Delivering, type DeliveringOptions, openDelivering } from '../webhooks/open-delivering.ts'
import type { Send } from '../webhooks/send.ts'
import { Webhooks } from '../webhooks/webhooks.ts'
import type { Storage } from './storage.ts'

/** For tests: shorter times, and another way to the network. */
export type NotificationTimes = Partial<
  Pick<DeliveringOptions, 'pauses' | 'leaseMs' | 'lookMs' | 'offAfterMs' | 'send'>
>

type NotificationOptions = NotificationTimes &
  Pick<DeliveringOptions, 'log' | 'clock' | 'inTurn' | 'endInTurn'>

export function openNotifications(
  config: Config,
  storage: Storage,
  { log, clock, ...times }: NotificationOptions,
) {
  const { store, images } = storage
  const figures = new DeliveryFigures()
  let delivering: Delivering | undefined
  const wake = () => delivering?.wake()
  return {
    webhooks: createWebhooks(config, storage, { clock, wake }),
    figures,
    /** Call it after an event in this process. */
    wake,
    /** `url`: the address at which the service listens, for links if there is no PUBLIC_URL. */
    begin(url: string): void {
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
    const { createWayOut } = await import('../egress/guard.ts')
    const { createSend } = await import('../webhooks/send.ts')
    const { allow } = config.webhooks
    const reach = createWayOut({ allow, deny: config.capture.deny, ownHosts: ownHostsOf(config) })
    return createSend({ reach })
  }
  return async (post, signal) => {
    opened ??= open()
    return await (await opened)(post, signal)
  }
}
