import type { Plane } from "../api/types";
import { minus } from "../logic/format";
import type { Drawn } from "../logic/plane";
import { SelectField } from "../parts/Fields";

interface Props {
  drawn: Drawn;
  onPlane: (plane: Plane) => void;
}

/** The levels at which the factors beyond the plane's two are held. */
export function PlaneChoice({ drawn, onPlane }: Props) {
  const { plane, factors } = drawn;
  const others = factors.flatMap((factor, index) => (index === plane.rows || index === plane.columns ? [] : [factor]));
  if (!others.length) return null;
  return (
    <div className="fields">
      {others.map((factor, index) => (
        <SelectField
          key={factor.name}
          label={`Held: ${factor.name}`}
          value={String(plane.fixed[index] ?? 0)}
          options={factor.levels.map((level, at) => ({ value: String(at), label: minus(level) }))}
          onChange={(level) => onPlane({ ...plane, fixed: plane.fixed.with(index, Number(level)) })}
        />
      ))}
    </div>
  );
}
