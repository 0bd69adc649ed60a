/** Runs a task as soon as there is a slot for its owner. */
export type InSlot = <T>(owner: string, task: () => Promise<T>) => Promise<T>

/**
 * Runs at most `slots` tasks at a time, in the order in which they came. As many further slots are for owners that have no
 * task running: the first task of an owner does not wait for another owner's tasks.
 */
export function createSlots(slots: number): InSlot {
  const waiting: { owner: string; enter: () => void }[] = []
  /** The owner of each running task. */
  const inside: string[] = []
  const mayEnter = (owner: string) =>
    inside.length < slots || (inside.length < 2 * slots && !inside.includes(owner))
  const leave = (owner: string) => {
    inside.splice(inside.indexOf(owner), 1)
    // This may start two tasks: one in the free slot, and the first task of the owner that has none left.
    for (let index = 0; index < waiting.length; ) {
      const { owner, enter } = waiting[index] as (typeof waiting)[number]
      if (!mayEnter(owner)) index++
      else {
        waiting.splice(index, 1)
        inside.push(owner)
        enter()
      }
    }
  }
  return async (owner, task) => {
    if (mayEnter(owner)) inside.push(owner)
    else await new Promise<void>((enter) => waiting.push({ owner, enter }))
    try {
      return await task()
    } finally {
      leave(owner)
    }
  }
}
