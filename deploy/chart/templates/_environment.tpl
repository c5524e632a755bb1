{{- define "pagewright.environment" -}}
- name: VARIANT
  value: {{ .Values.variant }}
- name: TRUSTED_PROXIES
  value: {{ .Values.trustedProxies | quote }}
- name: SHUTDOWN_DELAY_SECONDS
  value: {{ .Values.shutdown.delaySeconds | quote }}
- name: SHUTDOWN_GRACE_SECONDS
  value: {{ .Values.shutdown.graceSeconds | quote }}
{{- with .Values.baseUrl }}
- name: BASE_URL
  value: {{ . | quote }}
{{- end }}
{{- if .Values.metrics.enabled }}
- name: METRICS_PORT
  value: "9464"
- name: METRICS_HOST
  value: 0.0.0.0
{{- end }}
{{- if .Values.fonts.existingClaim }}
- name: FONTS_DIR
  value: /fonts
{{- end }}
- name: S3_ENDPOINT
  value: {{ .Values.s3.endpoint | quote }}
- name: S3_BUCKET
  value: {{ .Values.s3.bucket | quote }}
- name: S3_REGION
  value: {{ .Values.s3.region | quote }}
{{- with .Values.s3 }}
{{ include "pagewright.secretVariable" (list "S3_ACCESS_KEY_ID" .existingSecret .accessKeyIdKey) }}
{{ include "pagewright.secretVariable" (list "S3_SECRET_ACCESS_KEY" .existingSecret .secretAccessKeyKey) }}
{{- end }}
{{- with .Values.database }}
{{- if .existingSecret }}
{{ include "pagewright.secretVariable" (list "DATABASE_URL" .existingSecret .key) }}
{{- else if .url }}
- name: DATABASE_URL
  value: {{ .url | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $place := .Values.secretSettings }}
{{ include "pagewright.secretVariable" (list $name $place.secret $place.key) }}
{{- end }}
{{- end }}
