import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Which take longest. Without being told, the runner begins with large files, and these may be small ones. */
const LONG = `
  store/postgres cli/copy whole/package cli/capture cli/commands whole/readme whole/load whole/ssrf
  gallery/many queue/postgres camera/right http/streaming camera/camera camera/browser-faults
  whole/capture-soak whole/capture-kill http/search whole/worlds store/sqlite cli/copy-differences
  http/events browser/install-browser http/status whole/database-faults whole/consistency
  http/archive gallery/accessible gallery/getting-around gallery/hardship http/one-revision
  http/request-screenshots queue/sqlite http/idempotency-key whole/crash
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
