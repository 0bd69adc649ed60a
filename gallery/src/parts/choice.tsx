/** A choice between a few options, side by side. */
export function Choice<T extends string | number>({
  legend,
  choices,
  chosen,
  onChoose,
}: {
  legend: string
  choices: readonly (readonly [T, string])[]
  chosen: T
  onChoose: (value: T) => void
}) {
  return (
    <fieldset class="choice">
      <legend class="unseen">{legend}</legend>
      {choices.map(([value, words]) => (
        <label key={value}>
          <input
            type="radio"
            name={legend}
            value={value}
            checked={value === chosen}
            onChange={() => onChoose(value)}
          />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  )
}
