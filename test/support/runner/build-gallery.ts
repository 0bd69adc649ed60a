import { buildGallery } from '../../../gallery/build.ts'

/** Before any test: the service serves what was built. */
export async function setup(): Promise<void> {
  await buildGallery({ ifOlder: true, quiet: true })
}
