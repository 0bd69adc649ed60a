import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Which take longest. Without being told, the runner begins with large files, and these may be small ones. */
const LONG = `
  whole/readme cli/copy cli/copy-differences store/postgres cli/commands cli/capture whole/load
  whole/capture-kill whole/package whole/capture-soak whole/ssrf camera/camera
  camera/browser-faults http/request-screenshots http/idempotency-key http/streaming gallery/many
  queue/postgres whole/worlds camera/right http/search whole/consistency http/status store/sqlite
  gallery/accessible http/events queue/sqlite browser/install-browser whole/crash
`
  .trim()
  .split(/\s+/)

/** Long ones begin first, so that none of them is left over for the end, alone. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return place === -1 ? LONG.length : place
    }
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}
