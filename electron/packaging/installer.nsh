; Every user may make files and folders in ProgramData, and what the administrator lays down for all lies there
; (electron/main/boot/managed-settings.ts). So the folder is made here, by an administrator, before anybody else makes it, and
; nothing is inherited: others list it, and read what they are given. One that is there stays; the program looks whose it is.
!macro customInstall
  Push $R0
  ReadEnvStr $R0 ProgramData
  IfFileExists "$R0\Causeway\*.*" causeway_folder_is_there
  CreateDirectory "$R0\Causeway"
  nsExec::ExecToLog '"$SYSDIR\icacls.exe" "$R0\Causeway" /inheritance:r /grant:r *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F *S-1-5-32-545:RX /Q'
  Pop $R0
  causeway_folder_is_there:
  Pop $R0
!macroend
