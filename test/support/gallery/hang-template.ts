import { randomUUID } from 'node:crypto'
import type { Store } from '../../../src/store/store.ts'

/** A template without secrets. */
export async function hangTemplate(
  { store, now }: { store: Store; now: number },
  projectId: string,
  name = 'Nightly',
): Promise<string> {
  const templateId = randomUUID()
  const request = {
    screenshotParameter: { width: 1280, height: 800 },
    urls: [{ url: 'https://site.example/', name: 'Home' }],
  }
  const kept = { request: JSON.stringify(request), sealed: undefined }
  await store.templates.create({ projectId, templateId, name, ...kept, created: now })
  return templateId
}
