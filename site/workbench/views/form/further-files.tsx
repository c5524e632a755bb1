// The fields of a further file of an operation, such as an image to add.
import type { DescribedFile } from "../../../../src/service/http/contract/operation-list.ts";
import { isId } from "../../../../src/service/storage/file.ts";
import { checkAddress } from "../../model/checks.ts";
import { labelOf } from "../../model/format.ts";
import { type Operation, placeOf } from "../../model/operations.ts";
import { complaintOf, controlOf, faultOfFile } from "../../session/faults.ts";
import { filesIn } from "../../session/request.ts";
import { AddressField, DropZone } from "../choosers.tsx";
import { ProblemText, type ViewContext } from "../components.tsx";
import { FileRow } from "../file-row.tsx";

interface FurtherFilesProps {
  readonly page: ViewContext;
  readonly operation: Operation;
  readonly file: DescribedFile;
}

export function FurtherFiles({ page, operation, file }: FurtherFilesProps) {
  const { state, inputs } = page;
  const { name, description, list, required, insteadOf } = file;
  const place = placeOf(operation, file);
  const of = { place, list };
  const id = controlOf(operation, file);
  const chosen = filesIn(operation, file, state.further);
  const problem = state.problem?.place === `field:${place}` ? state.problem : undefined;
  const complaint = complaintOf(faultOfFile(operation, file, state), state);
  const instead = insteadOf === undefined ? "" : `, instead of ${insteadOf}`;
  return (
    <fieldset class="field">
      <legend>
        {labelOf(name)} <code aria-hidden="true">{name}</code>
      </legend>
      {(list || chosen.length === 0) && (
        <DropZone
          id={id}
          label={list ? "Drop files here" : "Drop a file here"}
          hint={`${description}${instead}${required || insteadOf !== undefined ? "" : " (optional)"}`}
          isList={list}
          onFiles={(files) => inputs.addFiles(list ? files : files.slice(0, 1), of)}
        />
      )}
      {chosen.length > 0 && (
        <ol class="files" aria-label={labelOf(name)}>
          {chosen.map((input, index) => (
            <FileRow key={input.key} {...{ page, input, index }} canOrder={false} whyUnusable={undefined} />
          ))}
        </ol>
      )}
      {(list || chosen.length === 0) && (
        <AddressField
          id={`${id}-address`}
          label="Address or id of a file"
          onText={(text) => {
            if (isId(text)) return void inputs.addStored(text, of);
            const complaint = checkAddress(text, file.url);
            if (complaint === undefined) inputs.addAddress(text, of);
            return complaint;
          }}
        />
      )}
      <p class="complaint" aria-live="polite">
        {problem ? "" : complaint}
      </p>
      {problem && <ProblemText problem={problem} />}
    </fieldset>
  );
}
