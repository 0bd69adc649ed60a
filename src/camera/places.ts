/** Runs a task when there is a place for it. */
export type InPlace = <T>(owner: string, task: () => Promise<T>) => Promise<T>

/**
 * At most `places` at a time, first come, first served; and as many more for owners that have none of them: nobody's first
 * page waits until another's has ended.
 */
export function createPlaces(places: number): InPlace {
  const waiting: { owner: string; enter: () => void }[] = []
  /** Owners of what is under way. */
  const inside: string[] = []
  const mayEnter = (owner: string) =>
    inside.length < places || (inside.length < 2 * places && !inside.includes(owner))
  const leave = (owner: string) => {
    inside.splice(inside.indexOf(owner), 1)
    // Two of them where the first is another's and the one who left has none any more.
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
