import { type Form, ShortField } from './fields.tsx'

/** Pages of a repeated request may have their own options. Only their secrets can be typed here. */
export function OwnSecrets({ form }: { form: Form }) {
  const { own, ownSecrets } = form.draft
  if (own.length === 0) return null
  return (
    <fieldset class="field rows-field">
      <legend>
        Options of single pages{' '}
        <span class="soft">some lines keep their own sizes or other options until they are changed</span>
      </legend>
      <div class="login-fields">
        {Object.entries(ownSecrets).map(([place, value]) => (
          <ShortField
            key={place}
            label={labelOf(place, own)}
            isSecret
            value={value}
            onText={(text) => form.change({ ownSecrets: { ...ownSecrets, [place]: text } })}
          />
        ))}
      </div>
    </fieldset>
  )
}

/** `/urls/0/headers/authorization` is `Home: headers authorization`. */
function labelOf(place: string, own: readonly { name: string }[]): string {
  const [, , index, ...names] = place.split('/')
  return `${own[Number(index)]?.name ?? ''}: ${names.join(' ').replaceAll('~1', '/').replaceAll('~0', '~')}`
}
