import { setPriority } from 'node:os'
import type { Order, Told } from './attacker.ts'
import { type Child, startChild } from './children.ts'
import type { LineOptions } from './line.ts'
import type { Running } from './service.ts'
import type { World } from './world.ts'

/** The service that is attacked, and its world. */
export interface Setup {
  readonly world: World
  readonly service: Running
}

export interface UnderWay {
  /** The answers that the attacker got so far. */
  tell(): Promise<Record<string, number>>
  /** Resolves when the attack ends by itself. */
  readonly ended?: Promise<void>
  stop(): Promise<void>
}

/** The longest time for an errand of the victim. */
export const ERRAND_S = 60

export interface Attack {
  /** The row of the table, with a letter if a row has several attacks. */
  readonly id: string
  readonly what: string
  /** Not an attack, and without a target: it shows the cost of the machine and of an honest load. */
  readonly control?: true
  readonly env?: Readonly<Record<string, string>>
  /** It needs its own store, because it changes it. */
  readonly ownWorld?: true
  /** How the victim connects. Default: on open connections, from the same address as the attacker. */
  readonly victim?: Omit<LineOptions, 'connections'>
  /** How long it is measured, if it does not end earlier. */
  readonly seconds?: number
  /** Why this machine cannot run it. */
  missing?(): Promise<string | undefined>
  /** Before anything is measured: what the attack needs in the store. */
  prepare?(setup: Setup): Promise<void>
  start(setup: Setup): Promise<UnderWay>
  /** Another task of the victim, with and without the attack. Returns its seconds, up to `ERRAND_S`. */
  errand?(setup: Setup): Promise<number>
  /** Its name, and how many times as long it may take. Default: six captures, and as one root. */
  readonly errandIs?: { readonly what: string; readonly most: number }
}

/** Lower than the service and the victim: a real attacker has a machine of its own, and takes no processor time from them. */
const BEHIND = 10

/** Attacks from another process. */
export async function attackWith(order: Order, stop?: () => Promise<void>): Promise<UnderWay> {
  const child: Child<Order | 'tell', Told> = startChild('attacker.ts')
  setPriority(child.pid, BEHIND)
  await child.ask(order)
  return {
    async tell() {
      const { answers, open } = await child.ask('tell')
      return order.manner === 'hold' ? { ...answers, open } : answers
    },
    async stop() {
      await child.stop()
      await stop?.()
    },
  }
}
