import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Which take longest. Without being told, the runner begins with large files, and these may be small ones. */
const LONG = [
  ...['whole/readme', 'whole/package', 'whole/capture-soak', 'cli/copy', 'store/postgres', 'whole/crash'],
  ...['whole/capture-kill', 'cli/commands', 'whole/worlds', 'http/streaming', 'cli/capture', 'gallery/many'],
  ...[
    'gallery/accessible',
    'whole/load',
    'queue/boss',
    'queue/boss-frozen',
    'whole/consistency',
    'whole/ssrf',
  ],
]

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
