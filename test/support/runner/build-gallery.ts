import { buildGallery } from '../../../gallery/build.ts'

/** Runs before all tests: the service serves the built files. */
export async function setup(): Promise<void> {
  await buildGallery({ ifOlder: true, quiet: true })
}
