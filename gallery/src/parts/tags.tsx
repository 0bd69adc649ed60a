import { toRoots } from '../addresses.ts'

export function Tags({ projectId, tags }: { projectId: string; tags: readonly string[] }) {
  if (tags.length === 0) return null
  return (
    <ul class="tags" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <a class="tag" dir="auto" href={toRoots(projectId, { tag })} title={tag}>
            {tag}
          </a>
        </li>
      ))}
    </ul>
  )
}
