{{- define "pagewright.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "pagewright.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "pagewright.metadata" -}}
name: {{ include "pagewright.name" . }}
labels:
  {{- include "pagewright.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
  helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "pagewright.most" -}}
{{ ternary .Values.autoscaling.maxReplicas .Values.replicas .Values.autoscaling.enabled }}
{{- end }}

{{/* Refuses values that would deploy a service which loses jobs or clients. */}}
{{- define "pagewright.check" -}}
{{- $hasDatabase := or .Values.database.existingSecret .Values.database.url }}
{{- if and (gt (int (include "pagewright.most" .)) 1) (not $hasDatabase) (not .Values.database.none) }}
{{- fail "Several replicas need a database for asynchronous jobs, Idempotency-Keys, limits and usage: set database.existingSecret. With database.none=true, each replica has its own." }}
{{- end }}
{{- if and $hasDatabase .Values.database.none }}{{ fail "Set either database.none or a database." }}{{ end }}
{{- if and .Values.database.existingSecret .Values.database.url }}
{{- fail "Set only one of database.existingSecret and database.url." }}
{{- end }}
{{- if not .Values.s3.endpoint }}{{ fail "Set s3.endpoint: the replicas share their files in an S3 store." }}{{ end }}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) }}
{{- fail "autoscaling.minReplicas is higher than autoscaling.maxReplicas." }}
{{- end }}
{{- end }}

{{/* Versions of the Secrets that the pods read, so that `helm upgrade` restarts the pods if one of them has changed. */}}
{{- define "pagewright.secrets" -}}
{{- $names := list .Values.s3.existingSecret .Values.database.existingSecret }}
{{- range .Values.secretSettings }}{{ $names = append $names .secret }}{{ end }}
{{- $versions := list }}
{{- range $names | compact | uniq }}
{{- $secret := lookup "v1" "Secret" $.Release.Namespace . }}
{{- $versions = append $versions (printf "%s=%s" . (dig "metadata" "resourceVersion" "" $secret)) }}
{{- end }}
{{- join "," $versions | sha256sum }}
{{- end }}

{{/* An environment variable from a Secret: a list of its name, the Secret and the key. */}}
{{- define "pagewright.secretVariable" -}}
- name: {{ index . 0 }}
  valueFrom:
    secretKeyRef:
      name: {{ index . 1 }}
      key: {{ index . 2 }}
{{- end }}
