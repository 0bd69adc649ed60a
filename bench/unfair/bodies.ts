import { projectPath } from '../../src/contract/paths.ts'
import { type Attack, attackWith, type Setup } from './attack.ts'
import { toPost } from './requests.ts'

const MEGABYTE = 1_048_576

const sending = (
  id: string,
  what: string,
  connections: number,
  makeBody: () => string,
  { allButTheLast = false } = {},
): Attack => ({
  id,
  what,
  env: { CAPTURE_CONCURRENCY: '0' },
  async start({ world: { attacker }, service }: Setup) {
    const url = service.url + projectPath(attacker.projectId)
    const request = toPost(url, attacker.write, makeBody())
    return await attackWith({
      url,
      connections,
      requests: [allButTheLast ? request.slice(0, -1) : request],
      manner: allButTheLast ? 'hold' : 'loop',
    })
  },
})

function unknownFields(): string {
  const fields = Array.from({ length: 100_000 }, (_, index) => `"${index.toString(36)}":1`)
  return `{${fields.join(',')}}`
}

/** Rows 4 and 9: bodies. */
export const bodies: readonly Attack[] = [
  sending('4', '1,500 bodies of 1 MB whose last byte never comes', 1_500, () => ' '.repeat(MEGABYTE), {
    allButTheLast: true,
  }),
  sending('9a', 'bodies of 100,000 unknown fields in a loop, 4 connections', 4, unknownFields),
  sending('9b', 'bodies of 500,000 nested arrays in a loop, 4 connections', 4, () =>
    '['.repeat(500_000).concat(']'.repeat(500_000)),
  ),
]
