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
  /** What the attacker was answered so far. */
  tell(): Promise<Record<string, number>>
  /** Where it ends by itself. */
  readonly ended?: Promise<void>
  stop(): Promise<void>
}

/** What the victim waits for an errand at most. */
export const ERRAND_S = 60

export interface Attack {
  /** The row of the issue, with a letter where there are several. */
  readonly id: string
  readonly what: string
  /** Nothing is held against it: it shows what the machine and an honest load cost. */
  readonly control?: true
  readonly env?: Readonly<Record<string, string>>
  /** A store of its own, since it leaves something there. */
  readonly ownWorld?: true
  /** How the victim asks; else on connections that it had before, from the address that all come from. */
  readonly victim?: Omit<LineOptions, 'connections'>
  /** How long it is looked at, where it does not end earlier. */
  readonly seconds?: number
  /** Why it cannot be made here. */
  missing?(): Promise<string | undefined>
  start(setup: Setup): Promise<UnderWay>
  /** Something else that the victim does, quiet and attacked; how many seconds it took, up to `ERRAND_S`. */
  errand?(setup: Setup): Promise<number>
}

/** Connections of a process of their own. */
export async function attackWith(order: Order, stop?: () => Promise<void>): Promise<UnderWay> {
  const child: Child<Order | 'tell', Told> = startChild('attacker.ts')
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
