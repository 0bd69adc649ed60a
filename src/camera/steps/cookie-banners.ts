import type { Note } from '../../contract/seen.ts'
import { declineBanner, NO_TIME } from '../banner/banner.ts'
import { whenLoaded } from '../loading.ts'
import { before, whereverItGoes } from '../patience.ts'
import type { Stage } from './stage.ts'

/** Answers a banner that asks for consent with no, when the page has loaded. What did not work is noted. */
export async function declineBanners({ page, session, network, time, notes }: Stage): Promise<void> {
  const decline = async (over: AbortSignal): Promise<Note[]> => {
    const loaded = await whenLoaded(page, session, network, { unveilTo: undefined, signal: over })
    await loaded.complete()
    return await declineBanner(page, over)
  }
  notes.push(...((await before(time.end, (over) => whereverItGoes(decline, over))) ?? [NO_TIME]))
}
