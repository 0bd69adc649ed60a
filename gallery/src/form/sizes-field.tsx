import { Card, type Form, MistakesAt } from './fields.tsx'
import { RowsField } from './rows-field.tsx'
import { SIZES } from './sizes.ts'

const FIRST_OTHER = { width: '1440', height: '900' }

/** The windows. Each page is captured in each of them. */
export function SizesField({ form }: { form: Form }) {
  const { sizes, otherSizes, device } = form.draft
  const isMistaken = form.mistakes.sizes !== undefined
  return (
    <fieldset class="field" aria-describedby="sizes-mistakes">
      <legend>
        Size of the window{' '}
        <span class="soft">
          {device === ''
            ? 'one or more: each page is captured in each of them'
            : `default: that of ${device}`}
        </span>
      </legend>
      <div class="sizes">
        {SIZES.map(({ name, width, height }) => (
          <Card
            key={name}
            type="checkbox"
            name="sizes"
            value={name}
            checked={sizes.includes(name)}
            isMistaken={isMistaken && otherSizes.length === 0}
            onChoose={(checked) =>
              form.change({ sizes: checked ? [...sizes, name] : sizes.filter((each) => each !== name) })
            }
          >
            <Shape width={width} height={height} />
            <strong>{name}</strong>
            <span class="soft">
              {width} × {height}
            </span>
          </Card>
        ))}
        <Card
          type="checkbox"
          name="sizes"
          value="other"
          checked={otherSizes.length > 0}
          onChoose={(checked) => form.change({ otherSizes: checked ? [FIRST_OTHER] : [] })}
        >
          <span class="shape open" aria-hidden="true" />
          <strong>Other</strong>
          <span class="soft">custom</span>
        </Card>
      </div>
      {otherSizes.length > 0 && (
        <RowsField
          form={form}
          name="otherSizes"
          legend="Other sizes"
          one="size"
          isMistaken={isMistaken}
          columns={[
            { name: 'width', label: 'Width', inputMode: 'numeric' },
            { name: 'height', label: 'Height', inputMode: 'numeric' },
          ]}
          empty={{ width: '', height: '' }}
        />
      )}
      <MistakesAt form={form} place="sizes" />
    </fieldset>
  )
}

/** A small drawing of the window. */
function Shape({ width, height }: { width: number; height: number }) {
  const scale = 34 / Math.max(width, height)
  return (
    <span
      class="shape"
      aria-hidden="true"
      style={{ width: `${width * scale}px`, height: `${height * scale}px` }}
    />
  )
}
